/** The state of a running operator. */
export interface Health {
  /** Nothing that the operator cannot do without has failed. */
  readonly live: boolean
  /** Everything is listed, and handlers may run. */
  readonly ready: boolean
  readonly streams: readonly StreamHealth[]
  /** Daemons and timers: at work, asked to stop, and given up although they have not ended. */
  readonly background: { readonly running: number; readonly stopping: number; readonly abandoned: number }
  readonly tasks: readonly { readonly name: string; readonly restarts: number; readonly error?: string }[]
}

export interface StreamHealth {
  readonly resource: string
  readonly namespace?: string
  readonly state: 'idle' | 'listing' | 'watching' | 'waiting' | 'failed' | 'stopped'
  readonly staleSeconds: number
  readonly error?: string
}
