import type { Logger } from '@binnacle/core'
import type { DaemonVerb } from './declare/daemon.ts'
import type { AnyEnv, Env, Memo } from './declare/env.ts'
import { nameOf } from './declare/handler.ts'
import { registryOf, type Usable } from './declare/handler-set.ts'
import { identityOf } from './declare/identity.ts'
import { type IndexDeclarations, type IndicesOf, indexDefinitions } from './declare/index-handler.ts'
import { declarations, type On } from './declare/on.ts'
import { Registry } from './declare/registry.ts'
import { viewsWithin } from './declare/scope.ts'
import { backgroundVerbs, type TimerVerb } from './declare/timer.ts'
import { emptyIndices } from './index/readable-index.ts'
import type { RunOptions } from './run-options.ts'
import type { OperatorParts, RunningOperator } from './run-parts.ts'
import { type SettingsInput, settingsOf } from './settings.ts'

type Made<D, M, S> = { readonly indices: IndicesOf<D>; readonly memo: M; readonly shared: S }

export interface OperatorOptions<D extends IndexDeclarations, M extends object, S> {
  /** Indices by name; the names become names in every handler's context. */
  readonly indices?: D
  /** Makes the memory of an object when it is first seen. @default an empty, untyped one */
  readonly memo?: () => M
  /** What all handlers share, made at the start and disposed of at the end if it can be. */
  readonly shared?: (start: { readonly signal: AbortSignal; readonly logger: Logger }) => S | Promise<S>
  readonly settings?: SettingsInput
}

/** An operator: declarations, and the way to run them. Declaring after the start is an error. */
export interface Operator<E extends Env = AnyEnv> extends DaemonVerb<E>, TimerVerb<E> {
  readonly name: string
  readonly on: On<E>
  /** The indices of the latest run: empty before it. With several runs at once ask the run. */
  readonly indices: E['indices']
  /** Mounts sets of handlers. A set that needs shared things which this operator has not is a type error. */
  use(...sets: readonly Usable<E['shared']>[]): this
  /** Runs until the signal, SIGTERM or SIGINT; rejects when the operator cannot go on. */
  run(options?: RunOptions): Promise<void>
  /** Starts, and resolves when indices are filled and handlers may run. Installs no process signal handlers. */
  start(options?: RunOptions): Promise<RunningOperator<E>>
  /** What is declared. */
  describe(): OperatorDescription
}

export interface OperatorDescription {
  readonly name: string
  readonly handlers: readonly {
    readonly id: string
    readonly kind: string
    readonly resource: string
    /** Whether it holds objects back until it has seen their deletion. */
    readonly finalizer: boolean
  }[]
  readonly indices: readonly { readonly name: string; readonly resource: string }[]
}

/**
 * Declares an operator. Its name is its identity: finalizer and annotations on objects are named after it, so it must not change while
 * objects carry them.
 * @example const op = operator('hello')
 * op.on.create('kopfexamples.kopf.dev', ({ name, patch }) => { patch.status.greeting = `Hello, ${name}!` })
 * await op.run()
 */
export function operator<const D extends IndexDeclarations = {}, M extends object = Memo, S = undefined>(
  name: string,
  options: OperatorOptions<D, M, S> = {},
): Operator<Made<D, M, S>> {
  identityOf(name)
  settingsOf(options.settings)
  const registry = new Registry(name, indexDefinitions(options.indices, 'the operator'))
  const parts: OperatorParts = {
    name,
    registry,
    settings: options.settings,
    makeMemo: options.memo ?? (() => ({})),
    makeShared: options.shared ?? (() => undefined),
  }
  return new DeclaredOperator(parts) as unknown as Operator<Made<D, M, S>>
}

const declared = new WeakMap<object, OperatorParts>()

/** What was declared; for those who run it in another way than `start` does. */
export function partsOf(operator: { readonly name: string }): OperatorParts {
  const parts = declared.get(operator)
  if (parts) return parts
  throw new TypeError('Not an operator: make one with operator(name)')
}

class DeclaredOperator implements Operator {
  readonly name: string
  readonly on: On<AnyEnv>
  readonly daemon: Operator['daemon']
  readonly timer: Operator['timer']
  readonly #parts: OperatorParts
  #indices: {}

  constructor(parts: OperatorParts) {
    declared.set(this, parts)
    this.name = parts.name
    this.on = declarations(parts.registry)
    const { daemon, timer } = backgroundVerbs<AnyEnv>(parts.registry)
    this.daemon = daemon
    this.timer = timer
    this.#parts = parts
    const { registry } = parts
    this.#indices = viewsWithin(emptyIndices(registry.indices), registry.names)
  }

  use(...sets: readonly Usable<never>[]): this {
    for (const set of sets) this.#parts.registry.mount(registryOf(set))
    return this
  }

  get indices(): {} {
    return this.#indices
  }

  async start(options: RunOptions = {}): Promise<RunningOperator> {
    this.#parts.registry.seal()
    const { startOperator } = await import('./at-work.ts')
    const running = await startOperator(this.#parts, options)
    this.#indices = running.indices
    return running
  }

  async run(options: RunOptions = {}): Promise<void> {
    const told = new AbortController()
    const stop = () => told.abort()
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
    options.signal?.addEventListener('abort', stop, { once: true })
    if (options.signal?.aborted) stop()
    try {
      await using running = await this.start({ ...options, signal: told.signal })
      await running.ended
    } catch (error) {
      // A start that was told to stop has been interrupted, which is what was asked for.
      if (!told.signal.aborted) throw error
    } finally {
      process.off('SIGTERM', stop)
      process.off('SIGINT', stop)
      options.signal?.removeEventListener('abort', stop)
    }
  }

  describe(): OperatorDescription {
    const { registry } = this.#parts
    return {
      name: this.name,
      handlers: [
        ...[...registry.events, ...registry.changes].map((handler) => ({
          id: handler.id,
          kind: handler.reason,
          resource: nameOf(handler.resource),
          finalizer: handler.reason === 'delete' && !handler.optional,
        })),
        ...registry.background.map(({ id, activity, resource, finalizer }) => ({
          id,
          kind: activity,
          resource: nameOf(resource),
          finalizer,
        })),
      ],
      indices: [...registry.indices].map(([name, { resource }]) => ({ name, resource: nameOf(resource) })),
    }
  }
}
