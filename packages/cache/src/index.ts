export type { Change, DeletedObject } from './informer/change.ts'
export { type Config, Controller, type DeltaConfig, type InOrderConfig } from './informer/controller.ts'
export type { Subscriber } from './informer/distributor.ts'
export { filteringHandler } from './informer/filtering-handler.ts'
export { InformerName, InformerNames } from './informer/informer-names.ts'
export type { Registration, ResourceEventHandler } from './informer/listener.ts'
export { SharedIndexInformer, SharedInformer } from './informer/shared-informer.ts'
export {
  type InformerForOptions,
  type InformerLease,
  type InformerScope,
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from './informer/shared-informer-factory.ts'
export type { HandlerOptions, SharedInformerOptions } from './informer/shared-informer-options.ts'
export { type Synced, type WaitForOptions, waitFor, waitForCacheSync } from './informer/synced.ts'
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
export type { Delta, Deltas, DeltaType } from './queue/delta.ts'
export { DeltaFIFO, type DeltaFIFOOptions } from './queue/delta-fifo.ts'
export { FIFO } from './queue/fifo.ts'
export { type InOrderDelta, InOrderFIFO, type InOrderFIFOOptions } from './queue/ordered-queue.ts'
export {
  type ControllerQueue,
  FIFOClosedError,
  type KeyListerGetter,
  type PopBatchOptions,
  type PopProcessFunc,
  type Queue,
  type ReflectorStore,
  RequeueError,
} from './queue/queue.ts'
export { Reflector } from './reflector/reflector.ts'
export type { ReflectorBackoff, ReflectorOptions, ReflectorState } from './reflector/reflector-options.ts'
export { defaultWatchErrorHandler, VeryShortWatchError, type WatchErrorHandler } from './reflector/watch-error.ts'
export type { Bucket } from './store/bucket.ts'
export { ExpirationCache, type ExpirationPolicy, type TimestampedEntry, TTLPolicy } from './store/expiration-cache.ts'
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
export {
  GenericLister,
  type GenericNamespaceLister,
  type LabelMatch,
  listAll,
  listAllByNamespace,
} from './store/lister.ts'
export { MutationCache, type MutationCacheOptions } from './store/mutation-cache.ts'
export type { Replacement } from './store/replacement.ts'
export { Store, type StoreOptions, type TransformFunc } from './store/store.ts'
export { ThreadSafeStore, type Transaction, type TransactionError } from './store/thread-safe-store.ts'
export { UndeltaStore } from './store/undelta-store.ts'
export { DelayingQueue } from './work-queue/delaying-queue.ts'
export { Heap } from './work-queue/heap.ts'
export { type AddOptions, PriorityQueue } from './work-queue/priority-queue.ts'
export {
  bucketRateLimiter,
  defaultRateLimiter,
  itemExponentialFailureRateLimiter,
  itemFastSlowRateLimiter,
  maxOfRateLimiter,
  type RateLimiter,
  withMaxWaitRateLimiter,
} from './work-queue/rate-limiters.ts'
export { RateLimitingQueue } from './work-queue/rate-limiting-queue.ts'
export { WorkQueue, type WorkQueueOptions } from './work-queue/work-queue.ts'
