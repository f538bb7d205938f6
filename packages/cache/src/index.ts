export type { Change, DeletedObject } from './informer/change.ts'
export type { Controller } from './informer/controller.ts'
export type { Subscriber } from './informer/distributor.ts'
export type { Registration, ResourceEventHandler } from './informer/listener.ts'
export { SharedIndexInformer, SharedInformer } from './informer/shared-informer.ts'
export type { HandlerOptions, SharedInformerOptions } from './informer/shared-informer-options.ts'
export { type Synced, waitForCacheSync } from './informer/synced.ts'
export {
  DeletedFinalStateUnknown,
  deletionHandlingMetaNamespaceKeyFunc,
  deletionHandlingObjectToName,
  ExplicitKey,
  formatObjectName,
  KeyError,
  type KeyFunc,
  metaNamespaceKeyFunc,
  type ObjectName,
  objectToName,
  parseObjectName,
  splitMetaNamespaceKey,
} from './keys.ts'
export {
  type Lister,
  type ListerWatcher,
  ListWatch,
  type ListWatchClient,
  type ListWatchOptions,
  type Watcher,
} from './lister-watcher.ts'
export type { Surroundings } from './options.ts'
export type { Delta, DeltaType } from './queue/delta.ts'
export { type InOrderDelta, InOrderFIFO, type InOrderFIFOOptions } from './queue/ordered-queue.ts'
export {
  type ControllerQueue,
  FIFOClosedError,
  type PopBatchOptions,
  type PopProcessFunc,
  type ReflectorStore,
} from './queue/queue.ts'
export { Reflector } from './reflector/reflector.ts'
export type { ReflectorBackoff, ReflectorOptions, ReflectorState } from './reflector/reflector-options.ts'
export { defaultWatchErrorHandler, VeryShortWatchError, type WatchErrorHandler } from './reflector/watch-error.ts'
export {
  type Index,
  type Indexers,
  type IndexFunc,
  IndexNotFoundError,
  type Indices,
  indexFuncToKeyFuncAdapter,
  metaNamespaceIndexFunc,
  NAMESPACE_INDEX,
} from './store/index-functions.ts'
export type { IndexErrorMode, IndexErrorOptions } from './store/index-set.ts'
export { Indexer } from './store/indexer.ts'
export { InvertedIndex } from './store/inverted-index.ts'
export { Store, type StoreOptions, type TransformFunc } from './store/store.ts'
export { ThreadSafeStore, type Transaction, type TransactionError } from './store/thread-safe-store.ts'
