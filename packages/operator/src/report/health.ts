import type { AwaitedList, GateProgress } from '../gate/indexed.ts'

export type { AwaitedList, GateProgress }

/** `waiting`: it will try again soon; `failed`: likewise, but the server refuses, so that somebody has to do something first. */
export type WatchState = 'idle' | 'listing' | 'watching' | 'waiting' | 'failed' | 'stopped'

/** A resource that handlers or indices name, and that cannot be watched at present. */
export interface AwaitedKind {
  /** As it was declared. */
  readonly resource: string
  /** Nobody serves it; several groups have it; or the server offers no list, watch or patch for it. */
  readonly why: 'not served' | 'ambiguous' | 'not usable'
  /** Handlers and indices that name it. */
  readonly users: readonly string[]
  /** What to do about it. */
  readonly hint: string
}

/** One of the watches that the operator keeps for its own sake. `off`: it is not needed, or turned off. */
export interface ScanHealth {
  readonly state: WatchState | 'off'
  readonly error?: string
}

export interface ScopeHealth {
  readonly awaited: readonly AwaitedKind[]
  /** The watch of CustomResourceDefinitions. */
  readonly definitions: ScanHealth
  /** The watch of namespaces. */
  readonly namespaces: ScanHealth
}

/** The state of a running operator. */
export interface Health {
  /** Nothing that the operator cannot do without has failed. */
  readonly live: boolean
  /** Everything is listed, and handlers may run. */
  readonly ready: boolean
  readonly streams: readonly StreamHealth[]
  /** Handlers wait until every kind that an index reads is listed. */
  readonly gate: GateProgress
  /** What is declared and not there, and how that is found out. */
  readonly scope: ScopeHealth
  /** Daemons and timers: at work, asked to stop, and given up although they have not ended. */
  readonly background: { readonly running: number; readonly stopping: number; readonly abandoned: number }
  /** Threads of worker handlers: at work, at rest, of so many at the most, and the calls that wait for one. */
  readonly workers: { readonly limit: number; readonly busy: number; readonly idle: number; readonly waiting: number }
  readonly tasks: readonly { readonly name: string; readonly restarts: number; readonly error?: string }[]
}

export interface StreamHealth {
  readonly resource: string
  readonly namespace?: string
  /** What the server leaves out, because no handler and no index wants it. */
  readonly filter?: string
  readonly state: WatchState
  readonly staleSeconds: number
  /** Objects in the cache. */
  readonly objects: number
  /** Whether their bodies are kept, or only what indices hold of them: the case where nothing but indices reads the kind. */
  readonly cache: 'mirrored' | 'indexed only'
  readonly error?: string
}
