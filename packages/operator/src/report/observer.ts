import type { Json } from '@binnacle/core'

/** One call of a handler, as test kits, timelines and dashboards see it. */
export interface Run {
  readonly handler: string
  readonly cause: string
  /** `kind namespace/name`, as people write it. */
  readonly object: string
  readonly uid: string
  /** 0 at the first attempt. */
  readonly attempt: number
  readonly at: Date
  readonly outcome: 'running' | 'success' | 'temporary' | 'permanent' | 'ignored' | 'waiting' | 'interrupted'
  readonly error: unknown
  readonly result: Json | undefined
}

/** What was written to an object. */
export interface Write {
  readonly object: string
  readonly uid: string
  readonly at: Date
  readonly to: 'object' | 'status'
  readonly operations: readonly { readonly op: string; readonly path: string; readonly value?: unknown }[]
  /** What became of the operator's finalizer with this write; undefined where it stayed as it was. */
  readonly finalizer?: 'hold' | 'release'
}

/** What was said about an object, to be posted as a Kubernetes event. */
export interface Said {
  readonly type: string
  readonly reason: string
  readonly message: string
  /** `kind namespace/name` of the object that it is about. */
  readonly about: string
  readonly at: Date
}

/**
 * Is told what the operator does, as it happens.
 * Assumes: it returns at once and does not throw; it is called from within cycles.
 */
export interface Observer {
  /** Once when the call begins, with the outcome 'running', and once when it has ended. */
  run?(run: Run): void
  write?(write: Write): void
  /** Before it is known whether it can be posted. */
  event?(said: Said): void
}
