/** The state of a running operator. */
export interface Health {
  /** Nothing that the operator cannot do without has failed. */
  readonly live: boolean
  /** Everything is listed, and handlers may run. */
  readonly ready: boolean
  readonly streams: readonly StreamHealth[]
  /** Handlers wait until every kind that an index reads is listed. */
  readonly gate: {
    readonly open: boolean
    readonly listed: number
    readonly of: number
    readonly awaited: readonly string[]
  }
  /** Daemons and timers: at work, asked to stop, and given up although they have not ended. */
  readonly background: { readonly running: number; readonly stopping: number; readonly abandoned: number }
  /** Threads of worker handlers: at work, at rest, of so many at the most, and the calls that wait for one. */
  readonly workers: { readonly limit: number; readonly busy: number; readonly idle: number; readonly waiting: number }
  readonly tasks: readonly { readonly name: string; readonly restarts: number; readonly error?: string }[]
}

export interface StreamHealth {
  readonly resource: string
  readonly namespace?: string
  readonly state: 'idle' | 'listing' | 'watching' | 'waiting' | 'failed' | 'stopped'
  readonly staleSeconds: number
  /** Objects in the cache. */
  readonly objects: number
  /** Whether their bodies are kept, or only what indices hold of them: the case where nothing but indices reads the kind. */
  readonly cache: 'mirrored' | 'indexed only'
  readonly error?: string
}
