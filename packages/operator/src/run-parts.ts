import type { Client, Ref } from '@binnacle/client'
import type { ResourceLike, Runtime } from '@binnacle/core'
import type { AnyEnv, Env } from './declare/env.ts'
import type { Registry } from './declare/registry.ts'
import type { Health } from './report/health.ts'
import type { Settings, SettingsInput } from './settings.ts'

/** One run of an operator. Disposing of it stops it, in order, and waits. */
export interface RunningOperator<E extends Env = AnyEnv> extends AsyncDisposable {
  readonly indices: E['indices']
  readonly shared: E['shared']
  readonly settings: Settings
  readonly client: Client
  /** Settles when the run has ended: resolves if it was stopped, rejects if it failed. */
  readonly ended: Promise<void>
  /** The state now; of probe handlers, what they said last. */
  health(): Health
  /** Where health is served, without a path; undefined where it is not. */
  readonly healthUrl: string | undefined
  /** What is under way at this moment, in words; empty when the operator is at rest. Handlers that wait for their next attempt do not count. */
  activity(): readonly string[]
  /**
   * Has the object looked at now, as if it had changed: filters are asked anew, and daemons and timers start or stop accordingly. For what
   * handlers look at outside of the cluster. An object that is not known, or that no handler is for, is left alone.
   */
  trigger(resource: ResourceLike, ref: Ref): void
  /** Stops watching, handling, daemons and timers; resolves when no handler runs any more. What happens meanwhile is told after `resume`. */
  pause(): Promise<void>
  /** Goes on where `pause` has stopped. */
  resume(): Promise<void>
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
