import type { Client } from '@binnacle/client'
import type { Runtime } from '@binnacle/core'
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
