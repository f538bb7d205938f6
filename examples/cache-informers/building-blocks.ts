/** The building blocks of the informer pattern, from the bottom up, each for itself. */
import {
  Controller,
  DeletedFinalStateUnknown,
  DeltaFIFO,
  deletionHandlingMetaNamespaceKeyFunc,
  ExpirationCache,
  FIFO,
  FIFOClosedError,
  Indexer,
  type ListerWatcher,
  ListWatch,
  type ListWatchClient,
  metaNamespaceIndexFunc,
  metaNamespaceKeyFunc,
  type Queue,
  Reflector,
  RequeueError,
  Store,
} from '@binnacle/cache'
import type { Pod } from '@binnacle/kinds'

export type Log = (line: string, ...what: unknown[]) => void

/** ListerWatcher: from a client and a resource, or from two functions. */
export function podsOf(client: ListWatchClient): ListerWatcher<Pod> {
  return new ListWatch(client, 'pods', { namespace: 'default', labels: { app: 'web' } }) as ListerWatcher<Pod>
}

/** List, then watch from the version of the list: nothing that happens in between is missed. */
export async function listAndWatch(
  pods: ListerWatcher<Pod>,
  stir: () => Promise<void>,
  signal: AbortSignal,
  log: Log,
): Promise<readonly Pod[]> {
  const page = await pods.list({ limit: 500 })
  log('listed', page.items.map(({ metadata }) => metadata.name).sort())
  const resourceVersion = page.metadata.resourceVersion
  await stir()
  for await (const event of pods.watch({ resourceVersion, bookmarks: true, signal })) {
    if (event.type === 'ERROR') throw new Error(event.object.message)
    if (event.type === 'BOOKMARK') continue
    log('watched', event.type, event.object.metadata.name)
    break
  }
  return page.items
}

/** Store, and the kind of store whose items expire. */
export function stores(log: Log): Store<Pod> {
  const store = new Store<Pod>(metaNamespaceKeyFunc)
  const expiring = new ExpirationCache<Pod>(metaNamespaceKeyFunc, '10m')
  log('empty', store.size, expiring.size)
  return store
}

/** Queue and FIFO: pop, requeue, close. */
export async function popAll(items: readonly Pod[], store: Store<Pod>, log: Log): Promise<void> {
  const fifo: Queue<Pod> = new FIFO<Pod>(metaNamespaceKeyFunc)
  for (const pod of items) fifo.add(pod)
  fifo.close()
  let patience = 1
  try {
    for (;;) {
      await fifo.pop((pod, isInInitialList) => {
        if (pod.status?.phase === 'Pending' && patience-- > 0) throw new RequeueError()
        store.add(pod)
        log('popped', pod.metadata.name, isInInitialList)
      })
    }
  } catch (error) {
    if (!(error instanceof FIFOClosedError)) throw error
  }
  log('synced', fifo.hasSynced())
}

/** Reflector: pumps a lister-watcher into a store. */
export async function reflect(pods: ListerWatcher<Pod>, log: Log): Promise<void> {
  const store = new Store<Pod>(metaNamespaceKeyFunc)
  const expectedType = { apiVersion: 'v1', kind: 'Pod' }
  const reflector = new Reflector(pods, store, { name: 'pods', resync: '10h', expectedType })
  const stop = new AbortController()
  const run = reflector.run(stop.signal)
  while (reflector.state !== 'watching') await new Promise((resolve) => setTimeout(resolve, 5))
  log('reflected', store.size)
  stop.abort()
  await run
}

/** Controller: a reflector, a DeltaFIFO that knows what is there already, and a process function. */
export async function control(pods: ListerWatcher<Pod>, log: Log): Promise<void> {
  const world = new Indexer<Pod>(deletionHandlingMetaNamespaceKeyFunc as (pod: Pod) => string, {
    namespace: metaNamespaceIndexFunc,
  })
  const controller = new Controller<Pod>({
    queue: new DeltaFIFO<Pod>({ knownObjects: world }),
    listerWatcher: pods,
    fullResyncPeriod: '10h',
    shouldResync: () => true,
    retryOnError: false,
    pageSize: 500,
    watchErrorHandler: (error, { name }) => log('failed', name, error),
    process: (changes) => {
      for (const { type, object } of changes) {
        // A deletion that nobody saw comes out as a tombstone, with the last known state if there is one.
        if (object instanceof DeletedFinalStateUnknown) {
          if (object.obj) world.delete(object.obj)
        } else if (type === 'Deleted') world.delete(object)
        else world.update(object)
      }
    },
  })
  const stop = new AbortController()
  const run = controller.run(stop.signal)
  await controller.whenSynced(stop.signal)
  log('controlled', controller.hasSynced(), world.size)
  stop.abort()
  await run
}
