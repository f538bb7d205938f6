import type { Resource } from '@binnacle/core'

/**
 * What this tool needs of the things in a user's file, by shape and not by class: the file may bring its own copy of `binnacle`.
 */

/** What `run` and `start` of an operator take, as far as the command line says something about it. */
export interface RunOptionsLike {
  readonly signal?: AbortSignal
  readonly kubeconfig?: unknown
  readonly context?: string
  readonly client?: unknown
  readonly namespaces?: string | RegExp | readonly (string | RegExp)[]
  readonly logger?: object
  readonly health?: number | { readonly port: number; readonly host?: string }
  readonly dev?: boolean
}

export interface RunningLike {
  /** Settles when the run has ended: resolves if it was stopped, rejects if it failed. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export interface OperatorLike {
  readonly name: string
  describe(): { readonly handlers: readonly { readonly id: string }[] }
  run(options?: RunOptionsLike): Promise<void>
  start(options?: RunOptionsLike): Promise<RunningLike>
}

// biome-ignore lint/suspicious/noExplicitAny: a resource of whichever type
export type ResourceShape = Resource<any, any>

export function isOperator(value: unknown): value is OperatorLike {
  if (typeof value !== 'object' || value === null) return false
  const { name, describe, run, start } = value as Record<string, unknown>
  return typeof name === 'string' && [describe, run, start].every((member) => typeof member === 'function')
}

/** A resource that was declared, not one that discovery found. */
export function isDeclaredResource(value: unknown): value is ResourceShape {
  if (typeof value !== 'object' || value === null) return false
  const { definition, plural, kind, version } = value as Record<string, unknown>
  return typeof definition === 'object' && definition !== null && [plural, kind, version].every(isText)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
