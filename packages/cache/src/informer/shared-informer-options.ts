import type { Duration, KubeObject } from '@binnacle/core'
import type { Surroundings } from '../options.ts'
import type { ReflectorOptions } from '../reflector/reflector-options.ts'
import type { WatchErrorHandler } from '../reflector/watch-error.ts'
import type { IndexErrorMode, IndexErrorOptions } from '../store/index-set.ts'
import type { TransformFunc } from '../store/store.ts'

export interface HandlerOptions {
  /** What it is called in messages. @default its class, its functions, or 'handler 1' and so on */
  readonly name?: string
  /** How often it is reminded of everything in the cache; 0: never. No shorter than the informer's check period. @default the informer's */
  readonly resync?: Duration
  /** How many changes may wait before changes of one object are merged. @default 1024 */
  readonly buffer?: number
}

export interface SharedInformerOptions<T extends KubeObject>
  extends Surroundings,
    Pick<IndexErrorOptions, 'onIndexError'> {
  /** What it is called in messages. @default 'informer' */
  readonly name?: string
  /** How often handlers are reminded of everything in the cache, without asking the server. 0: never, whatever handlers ask for. @default 0 */
  readonly resync?: Duration
  /**
   * What lies between the watch and the cache. 'in-order': every change in order of arrival, and a list in one step, so that handlers see only
   * states that existed on the server. 'delta': changes gathered by key, and a list object by object, as in older client-go.
   * @default 'in-order'
   */
  readonly queue?: 'in-order' | 'delta'
  /** Freeze every object before it is stored, so that whoever changes one in place gets an error there. For development. @default false */
  readonly freeze?: boolean
  /** Applied to each object before it is stored. One for which it throws is stored as it came, and the error is logged. @default none */
  readonly transform?: TransformFunc<T>
  /** What a failing index function does, see StoreOptions. It cannot throw: nobody calls. @default 'ignored' */
  readonly indexErrors?: Exclude<IndexErrorMode, 'throw'>
  readonly reflector?: Pick<
    ReflectorOptions,
    | 'expectedType'
    | 'initialList'
    | 'initialListSilence'
    | 'pageSize'
    | 'minWatchTimeout'
    | 'inactivityTimeout'
    | 'backoff'
    | 'internalErrorRetry'
  >
  /** Is told when a list or a watch fails. @default defaultWatchErrorHandler */
  readonly onWatchError?: WatchErrorHandler
}
