import type { Client, Ref } from '@binnacle/client'
import {
  abortable,
  createMetrics,
  messageOf,
  type ResourceLike,
  type Runtime,
  runtimeOf,
  Supervisor,
  seconds,
  systemClock,
} from '@binnacle/core'
import { type Identity, identityOf } from './declare/identity.ts'
import { type Scope, viewsWithin } from './declare/scope.ts'
import { IndexedGate } from './gate/indexed.ts'
import { Indexing } from './index/indexing.ts'
import { Intake } from './intake/intake.ts'
import { OperatorHealth, type RunFacts } from './operator-health.ts'
import { dispose, within } from './patience.ts'
import type { EventPoster } from './report/events.ts'
import type { Health, ScopeHealth } from './report/health.ts'
import { indexJudge } from './run/judge-index.ts'
import { OperatorActivities } from './run-activities.ts'
import { connectRun } from './run-connect.ts'
import { cycleDepsOf } from './run-deps.ts'
import { runLogger } from './run-logger.ts'
import { posterOf, threadsOf } from './run-makings.ts'
import type { RunOptions } from './run-options.ts'
import type { OperatorParts, RunningOperator } from './run-parts.ts'
import { RunSignals } from './run-signals.ts'
import { kindLimitOf, type Settings, settingsOf } from './settings.ts'
import { signalForMany } from './signal-for-many.ts'
import { AlarmClock } from './spawn/alarm-clock.ts'
import type { Spawner } from './spawn/spawner.ts'
import type { WorkerThreads } from './worker/worker-threads.ts'
import { namespaceScope } from './world/namespaces.ts'
import { PauseSwitch } from './world/pausable.ts'
import { World } from './world/world.ts'

/** Seconds that writes get after the last handler was interrupted. */
const LAST_WRITES = 2

const NO_QUEUE: Health['queue'] = { waiting: 0, running: 0, limit: 0, longestWait: 0, longestCycle: 0, kinds: {} }
const NOTHING_YET: ScopeHealth = { awaited: [], definitions: { state: 'off' }, namespaces: { state: 'off' } }

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
  readonly #namespaces: ReturnType<typeof namespaceScope>
  readonly #supervisor: Supervisor
  readonly #alarms: AlarmClock
  readonly #indexing: Indexing
  readonly #activities: OperatorActivities
  readonly #signals: RunSignals
  readonly #health: OperatorHealth
  readonly #pause = new PauseSwitch()
  #intake: Intake | undefined
  #client: Client | undefined
  #world: World | undefined
  #spawner: Spawner | undefined
  #threads: WorkerThreads | undefined
  #gate: IndexedGate | undefined
  #events: EventPoster | undefined
  #shared: unknown
  #ready = false
  /** All startup handlers have succeeded, so there may be something to clean up. */
  #begun = false
  #failure: string | undefined
  #stopped: Promise<void> | undefined
  #end: () => void = () => {}

  constructor(parts: OperatorParts, options: RunOptions) {
    this.#parts = parts
    this.#options = options
    this.#settings = settingsOf(parts.settings, options.settings)
    this.#namespaces = namespaceScope(options.namespaces)
    this.#identity = identityOf(parts.name)
    const clock = options.clock ?? systemClock
    const metrics = options.metrics ?? createMetrics()
    this.#runtime = runtimeOf({ ...options, clock, metrics, logger: runLogger(options.logger, clock) })
    this.#health = new OperatorHealth(this.#runtime, () => this.#facts())
    this.#signals = new RunSignals(options.signal)
    this.#supervisor = new Supervisor(this.#runtime)
    signalForMany(this.#supervisor.signal)
    this.#alarms = new AlarmClock(clock)
    this.#indexing = new Indexing(parts.registry.indices, {
      runtime: this.#runtime,
      judge: indexJudge(this.#runtime),
      after: (delay, ring) => this.#alarms.after(delay, ring),
    })
    this.#activities = new OperatorActivities({
      name: this.#identity.name,
      runtime: this.#runtime,
      registry: parts.registry,
      client: () => this.client,
      shared: () => this.#shared,
      viewsFor: (scope) => this.#viewsFor(scope),
    })
    const stopped = new Promise<void>((resolve) => {
      this.#end = resolve
    })
    this.ended = Promise.race([stopped, this.#supervisor.failed])
    this.ended.catch((error: unknown) => {
      this.#failure = messageOf(error)
    })
    this.#signals.stopping.addEventListener('abort', () => void this.stop(), { once: true })
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
    const signal = this.#signals.stopping
    if (this.#options.health !== undefined) await this.#health.serve(this.#options.health, () => this.#settings)
    this.#client =
      this.#options.client ??
      (await connectRun(this.#options, () => this.#settings, this.#runtime, this.#activities, this.#supervisor))
    this.#shared = await this.#parts.makeShared({ signal, logger: this.#runtime.logger })
    await this.#startup(signal)
    this.#health.probe(this.#activities.probes(this.#settings, this.#signals.exit))
    const threads = threadsOf(this.#settings, this.#runtime, this.#alarms, signal)
    this.#threads = threads
    await threads.check(this.#parts.registry.workerModules)
    const intake = this.#makeIntake()
    this.#intake = intake
    const gate = new IndexedGate()
    this.#gate = gate
    this.#startTasks(gate, intake, threads)
    this.#world = new World({
      client: this.#client,
      runtime: this.#runtime,
      supervisor: this.#supervisor,
      settings: this.settings,
      intake,
      gate,
      namespaces: this.#namespaces,
      declared: this.#parts.registry,
      finalizer: this.#identity.finalizer,
      pause: this.#pause,
      freeze: this.#options.dev ?? false,
    })
    await Promise.race([this.#world.start(signal), this.#supervisor.failed])
    this.#ready = true
    const state = gate.progress.open ? 'is ready' : 'has started, but its handlers wait for the indices'
    this.#runtime.logger.info(
      `Operator "${this.#identity.name}" ${state}: it watches ${this.#world.kinds.join(', ') || 'nothing'}.`,
    )
  }

  health(): Health {
    return this.#health.health(this.#settings)
  }

  get healthUrl(): string | undefined {
    return this.#health.url
  }

  #facts(): RunFacts {
    return {
      started: this.#ready,
      stopped: this.#stopped !== undefined,
      failure: this.#failure,
      paused: this.#pause.paused,
      streams: this.#world?.streams ?? [],
      scope: this.#world?.health ?? NOTHING_YET,
      gate: this.#gate?.progress ?? { open: false, listed: 0, of: 0, awaited: [] },
      background: this.#spawner?.figures ?? { running: 0, stopping: 0, abandoned: 0 },
      workers: this.#threads?.figures ?? { limit: this.#settings.execution.maxWorkers, busy: 0, idle: 0, waiting: 0 },
      queue: this.#intake?.figures ?? NO_QUEUE,
      slowed: this.#intake?.slowed ?? [],
      tasks: this.#supervisor.tasks,
    }
  }

  trigger(resource: ResourceLike, ref: Ref): void {
    this.#intake?.wakeNamed(resource, ref)
  }

  async pause(): Promise<void> {
    if (this.#pause.paused || this.#stopped) return
    this.#pause.pause()
    this.#spawner?.close('operator-pausing')
    const { stopping } = this.#signals
    const stopped = abortable(Promise.resolve(this.#spawner?.drain()), stopping)
    // A stop has the last word: whoever waits for the pause need not hear of it.
    await Promise.all([this.#intake?.pause(stopping), stopped.catch(() => {})])
    this.#runtime.logger.info(`Operator "${this.#identity.name}" is paused.`)
  }

  async resume(): Promise<void> {
    if (!this.#pause.paused || this.#stopped) return
    this.#spawner?.reopen()
    this.#intake?.resume()
    this.#intake?.wakeAll()
    this.#pause.resume()
    this.#runtime.logger.info(`Operator "${this.#identity.name}" goes on.`)
  }

  activity(): readonly string[] {
    return [
      ...(this.#world?.busy ?? []),
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
    this.#signals.stop()
    this.#spawner?.close('operator-exiting')
    await this.#drain(seconds(this.settings.process.exitGrace))
    this.#signals.interrupt()
    this.#spawner?.cancelAll()
    await this.#drain(LAST_WRITES)
    this.#spawner?.abandonAll()
    this.#signals.giveUp()
    await this.#threads?.[Symbol.asyncDispose]()
    await this.#supervisor.stop()
    if (this.#begun) await this.#activities.cleanup(this.#settings)
    await dispose(this.#shared)
    if (!this.#options.client) await this.#client?.[Symbol.asyncDispose]()
    await this.#health[Symbol.asyncDispose]()
    this.#end()
  }

  async #startup(signal: AbortSignal): Promise<void> {
    this.#settings = await this.#activities.startup(this.#settings, signal)
    this.#identity = identityOf(this.#parts.name, this.#settings.persistence.finalizer ?? undefined)
    this.#begun = true
  }

  #startTasks(gate: IndexedGate, intake: Intake, threads: WorkerThreads): void {
    const events = posterOf(this.#settings, this.#identity, this.#runtime, this.client)
    this.#events = events
    const deps = cycleDepsOf({
      runtime: this.#runtime,
      client: this.client,
      identity: this.#identity,
      settings: this.#settings,
      signals: this.#signals,
      reporter: this.#health.figures.reportingTo(this.#options.observer ?? {}),
      threads,
      gate,
      alarms: this.#alarms,
      events,
      shared: this.#shared,
      viewsFor: (scope) => this.#viewsFor(scope),
      intake,
    })
    this.#spawner = deps.spawner
    void this.#supervisor.start('event poster', (until) => events.run(until))
    void this.#supervisor.start('gate', (until) => gate.report(this.#runtime.clock, this.#runtime.logger, until))
    void this.#supervisor.start('alarms', (until) => this.#alarms.run(until))
    void this.#supervisor.start('object queue', (until) => intake.run(deps, until))
  }

  #makeIntake(): Intake {
    const { queueing } = this.#settings
    return new Intake({
      runtime: this.#runtime,
      indexing: this.#indexing,
      makeMemo: this.#parts.makeMemo,
      workerLimit: queueing.workerLimit,
      kindLimit: kindLimitOf(queueing),
      observer: this.#health.figures.queue,
      onError: (kind) => this.#health.figures.failed(kind),
      errorDelays: queueing.errorDelays.map(seconds),
    })
  }

  /** Waits for running cycles, daemons and timers, for so many seconds at the most. */
  #drain(patience: number): Promise<void> {
    return within(this.#runtime.clock, patience, (impatient) =>
      Promise.all([this.#intake?.drain(impatient), this.#spawner?.drain(), this.#events?.settled()]),
    )
  }

  /** One for each scope: every context asks for them. */
  #viewsFor(scope: Scope | undefined): { readonly [name: string]: unknown } {
    const known = this.#views.get(scope)
    if (known) return known
    const views = Object.freeze(viewsWithin(this.#indexing.views, scope?.indices ?? this.#parts.registry.names))
    this.#views.set(scope, views)
    return views
  }
  readonly #views = new Map<Scope | undefined, { readonly [name: string]: unknown }>()
}
