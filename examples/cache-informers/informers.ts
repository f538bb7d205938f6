/** Shared informers: one cache, several handlers, a work queue, an iteration, and many kinds by one factory. */
import {
  ListWatch,
  type ListWatchClient,
  metaNamespaceIndexFunc,
  metaNamespaceKeyFunc,
  RateLimitingQueue,
  type ResourceEventHandler,
  SharedIndexInformer,
  SharedInformer,
  SharedInformerFactory,
  waitForCacheSync,
} from '@binnacle/cache'
import type { Pod } from '@binnacle/kinds'
import { control, type Log, listAndWatch, podsOf, popAll, reflect, stores } from './building-blocks.ts'

export interface Surroundings {
  readonly client: ListWatchClient
  /** Something happens to a pod while the example looks. */
  readonly stir: () => Promise<void>
  readonly log: Log
}

/** What the pattern ends in: handlers that put keys into a queue, and a worker that looks at the cache. */
function enqueue(work: RateLimitingQueue<string>): ResourceEventHandler<Pod> {
  return {
    onAdd: (pod) => work.add(metaNamespaceKeyFunc(pod)),
    onUpdate: (old, pod) => {
      if (old.metadata.resourceVersion !== pod.metadata.resourceVersion) work.add(metaNamespaceKeyFunc(pod))
    },
    onDelete: ({ key }) => work.add(key),
  }
}

export async function informing({ client, stir, log }: Surroundings): Promise<void> {
  const stop = new AbortController()
  const pods = podsOf(client)
  await popAll(await listAndWatch(pods, stir, stop.signal, log), stores(log), log)
  await reflect(pods, log)
  await control(pods, log)

  // SharedInformer: one cache, several handlers, each with its own resync.
  const work = new RateLimitingQueue<string>()
  const shared = new SharedInformer(pods, { resync: '10h' })
  shared.setTransform((pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: {} } }))
  shared.setWatchErrorHandler((error) => log('failed', error))
  const registration = shared.addEventHandler(enqueue(work))
  shared.addEventHandler({}, { resync: '30s' })
  const sharedRun = shared.run(stop.signal)
  await registration.whenSynced(stop.signal)
  log('shared', shared.getStore().size, shared.hasSynced(), shared.lastSyncResourceVersion !== '')

  // SharedIndexInformer: the same with indices, whose names are checked.
  await using informer = new SharedIndexInformer(new ListWatch(client, 'pods') as ListWatch<Pod>, {
    indexers: { namespace: metaNamespaceIndexFunc, node: ({ spec }: Pod) => [spec.nodeName ?? ''] },
  })
  void informer.run(stop.signal)
  await waitForCacheSync(stop.signal, informer, registration)
  log('on node1', informer.getIndexer().byIndex('node', 'node1').length)

  // The worker: level-triggered, rate-limited, one key at a time.
  const seen: string[] = []
  work.shutDown()
  for await (const key of work) {
    try {
      seen.push(`${key} ${informer.getStore().has(key) ? 'is there' : 'is gone'}`)
      work.forget(key)
    } catch {
      work.addRateLimited(key)
    } finally {
      work.done(key)
    }
  }
  log('worked', seen.sort())
  await manyKinds({ client, stir, log }, stop.signal)
  stop.abort()
  await sharedRun
}

/** Many kinds by one factory, and changes by iteration. */
async function manyKinds({ client, log }: Surroundings, signal: AbortSignal): Promise<void> {
  await using factory = new SharedInformerFactory(client, { resync: '10h' })
  const pods = factory.informerFor('pods')
  factory.start(signal)
  await factory.whenSynced(signal)
  log('lister', factory.listerFor('pods').byNamespace('default').get('web-1').metadata.name)
  // A share in another kind, for as long as it is needed.
  await using namespaces = factory.acquire('namespaces')
  await namespaces.informer.whenSynced(signal)
  log('namespace', namespaces.lister.get('default').metadata.name)
  for await (const change of pods.changes({ signal })) {
    log('change', change.type, change.key)
    break
  }
}
