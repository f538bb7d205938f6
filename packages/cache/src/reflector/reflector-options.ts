import type { Duration } from '@binnacle/core'
import type { Surroundings } from '../options.ts'
import type { WatchErrorHandler } from './watch-error.ts'

export interface ReflectorOptions extends Surroundings {
  /** What it is called in messages. @default 'reflector' */
  readonly name?: string
  /** What the objects must be; others are logged and skipped. @default any */
  readonly expectedType?: { readonly apiVersion: string; readonly kind: string }
  /** How often to call the store's `resync`, which never contacts the server. 0: never. @default 0 */
  readonly resync?: Duration
  /** Is asked at each period; false leaves that resync out. @default always true */
  readonly shouldResync?: () => boolean
  /** How to learn the present state. 'auto' streams where the server can, and remembers where it cannot. @default 'auto' */
  readonly initialList?: 'auto' | 'pages'
  /** Silence on a streamed list after which it is asked for in pages instead, now and from then on. @default '10s' */
  readonly initialListSilence?: Duration
  /** Objects in one page of a list. @default 500 where pages do not make the server read its database, else everything at once */
  readonly pageSize?: number
  /** The server is asked to end a watch after this time at the earliest, and after twice of it at the latest; 5 minutes at least. @default '5m' */
  readonly minWatchTimeout?: Duration
  /** Silence after which a watch counts as dead and is opened again at its last version. @default the lister-watcher's */
  readonly inactivityTimeout?: Duration
  /** The waits after failures in a row. `reset`: calm after which they begin anew. @default 0.8 s, doubled up to 30 s, jitter 1, reset 2 m */
  readonly backoff?: ReflectorBackoff
  /** For how long a watch that the server breaks off with an internal error (500) is opened again before there is a new list. @default 0, never */
  readonly internalErrorRetry?: Duration
  /** Is told when a list or a watch fails. @default defaultWatchErrorHandler */
  readonly onWatchError?: WatchErrorHandler
}
export interface ReflectorBackoff {
  readonly initial?: Duration
  readonly factor?: number
  readonly max?: Duration
  readonly jitter?: number
  readonly reset?: Duration
}

/**
 * What a reflector is doing, for health. `waiting`: it will try again soon; `failed`: likewise, but the server refuses (403, 404 and the like), so
 * that somebody has to do something first.
 */
export type ReflectorState = 'idle' | 'listing' | 'watching' | 'waiting' | 'failed' | 'stopped'
