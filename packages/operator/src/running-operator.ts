import { type Client, connect } from '@binnacle/client'
import { linkedController, messageOf, type Runtime, runtimeOf, Supervisor, seconds, systemClock } from '@binnacle/core'
import type { CycleDeps } from './cycle.ts'
import type { Activity, ActivityHandler } from './declare/activity.ts'
import { type Identity, identityOf } from './declare/identity.ts'
import { type Scope, viewsWithin } from './declare/scope.ts'
import { kindName, servesStatus } from './declare/served-kind.ts'
import { IndexedGate } from './gate/indexed.ts'
import { Indexing } from './index/indexing.ts'
import { Intake } from './intake/intake.ts'
import { memoOf, type ObjectMemory } from './object-memory.ts'
import { dispose, untilTooLong, within } from './patience.ts'
import type { EventPoster } from './report/events.ts'
import type { Health } from './report/health.ts'
import { recorderOf } from './report/recorder.ts'
import { runActivity } from './run/activities.ts'
import type { AttemptInfo } from './run/context.ts'
import { indexJudge } from './run/judge-index.ts'
import type { SurroundingsOf } from './run/look.ts'
import { runLogger } from './run-logger.ts'
import { posterOf, storagesOf, threadsOf } from './run-makings.ts'
import type { RunOptions } from './run-options.ts'
import type { OperatorParts, RunningOperator } from './run-parts.ts'
import { openCopy, type Settings, settingsOf, WRITE_BACKOFF, WRITE_TRIES } from './settings.ts'
import { AlarmClock } from './spawn/alarm-clock.ts'
import { Spawner } from './spawn/spawner.ts'
import type { WorkerThreads } from './worker/worker-threads.ts'
import { servedKinds } from './world/kinds.ts'
import { namespacesOf } from './world/namespaces.ts'
import { Orchestrator } from './world/orchestrator.ts'

/** Seconds that writes get after the last handler was interrupted. */
const LAST_WRITES = 2

/**
 * Starts an operator and owns all that it starts.
 * Guarantees: if the start fails, nothing of it is left; after `stop` has resolved, no socket, timer or listener of the run is left; a stop
 * waits for running handlers, interrupts them when the grace is over, and still writes what has been finished.
 */
export async function startOperator(parts: OperatorParts, options: RunOptions): Promise<RunningOperator> {
  const run = new OperatorRun(parts, options)
  try {
    await run.start()
    return run
  } catch (error) {
    await run.stop()
    throw error
  }
}

class OperatorRun implements RunningOperator {
  readonly ended: Promise<void>
  readonly #parts: OperatorParts
  readonly #options: RunOptions
  readonly #runtime: Runtime
  #settings: Settings
  #identity: Identity
  readonly #namespaces: readonly string[]
  readonly #supervisor: Supervisor
  readonly #alarms: AlarmClock
  readonly #indexing: Indexing
  #intake: Intake | undefined
  /** No further handler begins; running handlers are interrupted; writes are given up. */
  readonly #stopping: ReturnType<typeof linkedController>
  readonly #exit = new AbortController()
  readonly #lastCall = new AbortController()
  #client: Client | undefined
  #orchestrator: Orchestrator | undefined
  #spawner: Spawner | undefined
  #threads: WorkerThreads | undefined
  #gate: IndexedGate | undefined
  #events: EventPoster | undefined
  #shared: unknown
  #ready = false
  /** All startup handlers have succeeded, so there may be something to clean up. */
  #begun = false
  #stopped: Promise<void> | undefined
  #end: () => void = () => {}

  constructor(parts: OperatorParts, options: RunOptions) {
    this.#parts = parts
    this.#options = options
    this.#settings = settingsOf(parts.settings, options.settings)
    this.#namespaces = namespacesOf(options.namespaces)
    this.#identity = identityOf(parts.name)
    const clock = options.clock ?? systemClock
    this.#runtime = runtimeOf({ ...options, clock, logger: runLogger(options.logger, clock) })
    this.#stopping = linkedController(options.signal)
    this.#supervisor = new Supervisor(this.#runtime)
    this.#alarms = new AlarmClock(clock)
    this.#indexing = new Indexing(parts.registry.indices, {
      runtime: this.#runtime,
      judge: indexJudge(this.#runtime),
      after: (delay, ring) => this.#alarms.after(delay, ring),
    })
    const stopped = new Promise<void>((resolve) => {
      this.#end = resolve
    })
    this.ended = Promise.race([stopped, this.#supervisor.failed])
    this.ended.catch(() => {})
    this.#stopping.signal.addEventListener('abort', () => void this.stop(), { once: true })
  }

  get settings(): Settings {
    return this.#settings
  }

  get indices(): {} {
    return this.#viewsFor(undefined)
  }

  get shared(): unknown {
    return this.#shared
  }

  get client(): Client {
    if (!this.#client) throw new TypeError('The operator has not connected yet')
    return this.#client
  }

  async start(): Promise<void> {
    const { signal } = this.#stopping
    this.#client = this.#options.client ?? (await connect({ ...this.#options, logger: this.#runtime.logger }))
    this.#shared = await this.#parts.makeShared({ signal, logger: this.#runtime.logger })
    await this.#startup(signal)
    const threads = threadsOf(this.#settings, this.#runtime, this.#alarms, signal)
    this.#threads = threads
    await threads.check(this.#parts.registry.workerModules)
    const intake = this.#makeIntake()
    this.#intake = intake
    const kinds = await servedKinds(this.#parts.registry, this.#client, signal)
    const gate = new IndexedGate(kinds.filter(({ indices }) => indices.size > 0).map(kindName))
    this.#gate = gate
    const events = posterOf(this.#settings, this.#identity, this.#runtime, this.client)
    this.#events = events
    void this.#supervisor.start('event poster', (until) => events.run(until))
    const deps = this.#cycleDeps(gate, intake, threads)
    void this.#supervisor.start('gate', (until) => gate.report(this.#runtime.clock, this.#runtime.logger, until))
    void this.#supervisor.start('alarms', (until) => this.#alarms.run(until))
    void this.#supervisor.start('object queue', (until) => intake.run(deps, until))
    this.#orchestrator = new Orchestrator({
      client: this.#client,
      runtime: this.#runtime,
      supervisor: this.#supervisor,
      settings: this.settings,
      intake,
      gate,
      namespaces: this.#namespaces,
    })
    await Promise.race([this.#orchestrator.start(kinds, signal), this.#supervisor.failed])
    this.#ready = true
    this.#runtime.logger.info(
      `Operator "${this.#identity.name}" is ready: it watches ${kinds.map(kindName).join(', ') || 'nothing'}.`,
    )
  }

  health(): Health {
    return {
      live: this.#stopped === undefined,
      ready: this.#ready && this.#stopped === undefined,
      streams: this.#orchestrator?.streams ?? [],
      gate: this.#gate?.progress ?? { open: false, listed: 0, of: 0, awaited: [] },
      background: this.#spawner?.figures ?? { running: 0, stopping: 0, abandoned: 0 },
      workers: this.#threads?.figures ?? { limit: this.#settings.execution.maxWorkers, busy: 0, idle: 0, waiting: 0 },
      tasks: this.#supervisor.tasks,
    }
  }

  activity(): readonly string[] {
    const listing = (this.#orchestrator?.streams ?? []).filter(({ state }) => state === 'listing')
    return [
      ...listing.map(({ resource }) => `listing ${resource}`),
      ...(this.#intake?.busy ?? []),
      ...(this.#spawner?.busy ?? []),
      ...(this.#threads?.busy ?? []),
      ...(this.#events?.busy ? ['posting events'] : []),
    ]
  }

  stop(): Promise<void> {
    // Not at once: what a stop does first makes whoever hears of it ask for a stop.
    this.#stopped ??= Promise.resolve().then(() => this.#stop())
    return this.#stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #stop(): Promise<void> {
    this.#stopping.abort(new DOMException('The operator is stopping', 'AbortError'))
    this.#stopping[Symbol.dispose]()
    this.#spawner?.close('operator-exiting')
    await this.#drain(seconds(this.settings.process.exitGrace))
    this.#exit.abort(new DOMException('The operator is exiting', 'AbortError'))
    this.#spawner?.cancelAll()
    await this.#drain(LAST_WRITES)
    this.#spawner?.abandonAll()
    this.#lastCall.abort(new DOMException('The operator has exited', 'AbortError'))
    await this.#threads?.[Symbol.asyncDispose]()
    await this.#supervisor.stop()
    if (this.#begun) await this.#cleanup()
    await dispose(this.#shared)
    if (!this.#options.client) await this.#client?.[Symbol.asyncDispose]()
    this.#end()
  }

  /** Runs the startup handlers, which may change the settings; afterwards they are checked once more, and stay. */
  async #startup(signal: AbortSignal): Promise<void> {
    const handlers = this.#parts.registry.activities('startup')
    const settings = openCopy(this.#settings)
    await this.#perform('startup', handlers, settings, signal)
    this.#settings = settingsOf(settings)
    this.#identity = identityOf(this.#parts.name, this.#settings.persistence.finalizer ?? undefined)
    this.#begun = true
  }

  async #cleanup(): Promise<void> {
    const handlers = this.#parts.registry.activities('cleanup')
    const patience = this.#settings.process.ultimateExitingTimeout
    try {
      await untilTooLong(this.#runtime.clock, patience, (signal) =>
        this.#perform('cleanup', handlers, this.#settings, signal),
      )
    } catch (error) {
      this.#runtime.logger.error(`The operator could not clean up: ${messageOf(error)}`, { error })
    }
  }

  async #perform(
    activity: Activity,
    handlers: readonly ActivityHandler[],
    settings: Settings,
    signal: AbortSignal,
  ): Promise<void> {
    if (handlers.length === 0) return
    const { clock, random, logger } = this.#runtime
    const { defaultBackoff } = this.#settings.execution
    const { client } = this
    const contextOf = ({ param, scope }: ActivityHandler, attempt: AttemptInfo) => ({
      ...attempt,
      param,
      activity,
      settings,
      shared: this.#shared,
      logger,
      client: client.with({ fieldManager: this.#identity.name, signal: attempt.signal }),
      ...this.#viewsFor(scope),
    })
    await runActivity(activity, handlers, contextOf, { clock, random, logger, defaultBackoff, signal })
  }

  #makeIntake(): Intake {
    const { queueing } = this.#settings
    return new Intake({
      runtime: this.#runtime,
      indexing: this.#indexing,
      makeMemo: this.#parts.makeMemo,
      workerLimit: queueing.workerLimit,
      errorDelays: queueing.errorDelays.map(seconds),
    })
  }

  /** Waits for running cycles, daemons and timers, for so many seconds at the most. */
  #drain(patience: number): Promise<void> {
    return within(this.#runtime.clock, patience, (impatient) =>
      Promise.all([this.#intake?.drain(impatient), this.#spawner?.drain(), this.#events?.settled()]),
    )
  }

  #cycleDeps(gate: IndexedGate, intake: Intake, threads: WorkerThreads): CycleDeps {
    const { client } = this
    const { name } = this.#identity
    const observer = this.#options.observer ?? {}
    const common: Omit<CycleDeps, 'spawner'> = {
      runtime: this.#runtime,
      client,
      operatorName: name,
      identity: this.#identity,
      incarnation: Math.floor(this.#runtime.random() * 2 ** 32).toString(36),
      defaultBackoff: this.settings.execution.defaultBackoff,
      consistencyTimeout: seconds(this.settings.persistence.consistencyTimeout),
      storages: storagesOf(this.#settings, this.#identity),
      observer,
      threads,
      gate,
      stopping: this.#stopping.signal,
      exit: this.#exit.signal,
      lastCall: this.#lastCall.signal,
      surroundings: (memory) => this.#surroundings(memory),
      apply: ({ kind }) => ({
        client: client.with({ fieldManager: name }),
        runtime: this.#runtime,
        resource: kind.resource,
        options: { finalizerName: this.#identity.finalizer, statusSubresource: servesStatus(kind) },
        observer,
        backoff: WRITE_BACKOFF,
        tries: WRITE_TRIES,
      }),
    }
    const cancellationPolling = seconds(this.settings.background.cancellationPolling)
    const spawner = new Spawner({
      ...common,
      alarms: this.#alarms,
      surroundings: (memory, scope) => common.surroundings(memory)(scope),
      cancellationPolling,
      wake: (uid) => intake.wake(uid),
    })
    this.#spawner = spawner
    return { ...common, spawner }
  }

  #surroundings(memory: ObjectMemory): SurroundingsOf {
    const { kind, body } = memory
    const { apiVersion, metadata } = body
    const { name, namespace, uid } = metadata
    const object = { apiVersion, kind: body.kind, name, ...(namespace !== undefined && { namespace }), uid }
    const common = {
      resource: kind.info,
      shared: this.#shared,
      logger: this.#runtime.logger.child({ object }),
      events: recorderOf(body, (remark) => this.#events?.post(remark)),
    }
    return (scope) => ({ ...common, memo: memoOf(memory, scope), indices: this.#viewsFor(scope) })
  }

  #viewsFor(scope: Scope | undefined): { readonly [name: string]: unknown } {
    return viewsWithin(this.#indexing.views, scope?.indices ?? this.#parts.registry.names)
  }
}
