import { type Client, connect } from '@binnacle/client'
import { linkedController, type Runtime, runtimeOf, Supervisor, seconds, systemClock } from '@binnacle/core'
import type { CycleDeps } from './cycle.ts'
import type { AnyEnv, Env } from './declare/env.ts'
import { type Identity, identityOf } from './declare/identity.ts'
import type { Registry } from './declare/registry.ts'
import { kindName, type ServedKind } from './declare/served-kind.ts'
import { IndexedGate } from './gate/indexed.ts'
import { Indexing } from './index/indexing.ts'
import { Intake } from './intake/intake.ts'
import type { ObjectMemory } from './object-memory.ts'
import { annotationsDiffBase } from './progress/last-handled.ts'
import { annotationsProgress } from './progress/store.ts'
import type { Health } from './report/health.ts'
import { runLogger } from './run-logger.ts'
import type { RunOptions } from './run-options.ts'
import { type Settings, type SettingsInput, settingsOf, WRITE_BACKOFF, WRITE_TRIES } from './settings.ts'
import { servedKinds } from './world/kinds.ts'
import { namespacesOf } from './world/namespaces.ts'
import { Orchestrator } from './world/orchestrator.ts'

/** One run of an operator. Disposing of it stops it, in order, and waits. */
export interface RunningOperator<E extends Env = AnyEnv> extends AsyncDisposable {
  readonly indices: E['indices']
  readonly shared: E['shared']
  readonly settings: Settings
  readonly client: Client
  /** Settles when the run has ended: resolves if it was stopped, rejects if it failed. */
  readonly ended: Promise<void>
  health(): Health
  /** What is under way at this moment, in words; empty when the operator is at rest. Handlers that wait for their next attempt do not count. */
  activity(): readonly string[]
  stop(): Promise<void>
}

/** What an operator brings into each of its runs. */
export interface OperatorParts {
  readonly name: string
  readonly registry: Registry
  readonly settings: SettingsInput | undefined
  readonly makeMemo: () => object
  readonly makeShared: (start: { readonly signal: AbortSignal; readonly logger: Runtime['logger'] }) => unknown
}

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
  readonly settings: Settings
  readonly ended: Promise<void>
  readonly #parts: OperatorParts
  readonly #options: RunOptions
  readonly #runtime: Runtime
  readonly #identity: Identity
  readonly #namespaces: readonly string[]
  readonly #supervisor: Supervisor
  readonly #indexing: Indexing
  readonly #intake: Intake
  /** No further handler begins; running handlers are interrupted; writes are given up. */
  readonly #stopping: ReturnType<typeof linkedController>
  readonly #exit = new AbortController()
  readonly #lastCall = new AbortController()
  #client: Client | undefined
  #orchestrator: Orchestrator | undefined
  #shared: unknown
  #ready = false
  #stopped: Promise<void> | undefined
  #end: () => void = () => {}

  constructor(parts: OperatorParts, options: RunOptions) {
    this.#parts = parts
    this.#options = options
    this.settings = settingsOf(parts.settings, options.settings)
    this.#namespaces = namespacesOf(options.namespaces)
    this.#identity = identityOf(parts.name, this.settings.persistence.finalizer ?? undefined)
    const clock = options.clock ?? systemClock
    this.#runtime = runtimeOf({ ...options, clock, logger: runLogger(options.logger, clock) })
    this.#stopping = linkedController(options.signal)
    this.#supervisor = new Supervisor(this.#runtime)
    this.#indexing = new Indexing(parts.registry.indices, this.#runtime)
    this.#intake = new Intake({
      runtime: this.#runtime,
      indexing: this.#indexing,
      makeMemo: parts.makeMemo,
      workerLimit: this.settings.queueing.workerLimit,
      errorDelays: this.settings.queueing.errorDelays.map(seconds),
    })
    const stopped = new Promise<void>((resolve) => {
      this.#end = resolve
    })
    this.ended = Promise.race([stopped, this.#supervisor.failed])
    this.ended.catch(() => {})
    this.#stopping.signal.addEventListener('abort', () => void this.stop(), { once: true })
  }

  get indices(): {} {
    return this.#indexing.views
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
    const kinds = await servedKinds(this.#parts.registry, this.#client, signal)
    const gate = new IndexedGate(kinds.filter(({ indices }) => indices.size > 0).map(kindName))
    const deps = this.#cycleDeps(gate)
    void this.#supervisor.start('object queue', (until) => this.#intake.run(deps, until))
    this.#orchestrator = new Orchestrator({
      client: this.#client,
      runtime: this.#runtime,
      supervisor: this.#supervisor,
      settings: this.settings,
      intake: this.#intake,
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
      tasks: this.#supervisor.tasks,
    }
  }

  activity(): readonly string[] {
    const listing = (this.#orchestrator?.streams ?? []).filter(({ state }) => state === 'listing')
    return [...listing.map(({ resource }) => `listing ${resource}`), ...this.#intake.busy]
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #stop(): Promise<void> {
    this.#stopping.abort(new DOMException('The operator is stopping', 'AbortError'))
    this.#stopping[Symbol.dispose]()
    await this.#drain(seconds(this.settings.process.exitGrace))
    this.#exit.abort(new DOMException('The operator is exiting', 'AbortError'))
    await this.#drain(LAST_WRITES)
    this.#lastCall.abort(new DOMException('The operator has exited', 'AbortError'))
    await this.#supervisor.stop()
    await dispose(this.#shared)
    if (!this.#options.client) await this.#client?.[Symbol.asyncDispose]()
    this.#end()
  }

  /** Waits for running cycles, for so many seconds at the most. */
  async #drain(patience: number): Promise<void> {
    const impatient = new AbortController()
    const slept = new AbortController()
    const timer = this.#runtime.clock.sleep(patience, slept.signal).then(
      () => impatient.abort(),
      () => {},
    )
    await this.#intake.drain(impatient.signal)
    slept.abort()
    await timer
  }

  #cycleDeps(gate: IndexedGate): CycleDeps {
    const { client } = this
    const { prefix, name } = this.#identity
    const observer = this.#options.observer ?? {}
    return {
      runtime: this.#runtime,
      client,
      operatorName: name,
      identity: this.#identity,
      incarnation: Math.floor(this.#runtime.random() * 2 ** 32).toString(36),
      defaultBackoff: this.settings.execution.defaultBackoff,
      consistencyTimeout: seconds(this.settings.persistence.consistencyTimeout),
      storages: { progress: annotationsProgress(prefix), diffBase: annotationsDiffBase(prefix) },
      observer,
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
  }

  #surroundings({ kind, body, memo }: ObjectMemory) {
    const { apiVersion, metadata } = body
    const { name, namespace, uid } = metadata
    const object = { apiVersion, kind: body.kind, name, ...(namespace !== undefined && { namespace }), uid }
    return {
      resource: kind.info,
      memo,
      shared: this.#shared,
      logger: this.#runtime.logger.child({ object }),
      indices: this.#indexing.views,
    }
  }
}

function servesStatus({ info }: ServedKind): boolean {
  return info.subresources.includes('status')
}

async function dispose(shared: unknown): Promise<void> {
  if (typeof shared !== 'object' || shared === null) return
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = shared as Partial<AsyncDisposable & Disposable>
  if (later) await later.call(shared)
  else now?.call(shared)
}
