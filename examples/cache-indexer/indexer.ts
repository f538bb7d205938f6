/** The Indexer, step by step: three pods, two indices, and everything that can be asked of them. */

import type { Index, IndexFunc, Indices } from '@binnacle/cache'
import { Indexer, metaNamespaceIndexFunc, metaNamespaceKeyFunc, type Store, ThreadSafeStore } from '@binnacle/cache'
import type { Pod } from '@binnacle/kinds'

const pod = (name: string, namespace: string, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: `uid-of-${name}`, resourceVersion: '1' },
  spec: { nodeName, containers: [] },
})
const pod1 = pod('pod-1', 'default', 'node1')
const pod2 = pod('pod-2', 'default', 'node2')
const pod3 = pod('pod-3', 'kube-system', 'node2')
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).sort()

export function indexing(log: (line: string, ...what: unknown[]) => void): void {
  // Index functions by the name of the index. Each gives the values of one object: none means that it is not in the index.
  const nodeNameIndexFunc: IndexFunc<Pod> = ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName])
  const indexer = new Indexer<Pod, 'namespace' | 'nodeName'>(metaNamespaceKeyFunc, {
    namespace: metaNamespaceIndexFunc,
    nodeName: nodeNameIndexFunc,
  })

  // It is a store: add, update, delete, reads, replace; resync means something in queues only.
  const store: Store<Pod> = indexer
  store.add(pod1)
  store.add(pod2)
  store.update(pod3)
  store.delete(pod3)
  store.replace([pod1, pod2, pod3], '42')
  store.resync()
  log('stored', store.listKeys().sort(), store.get(pod1) === store.getByKey('default/pod-1'), store.list().length)

  // Index: all pods that share a namespace with pod-1. ByIndex: by the value itself. IndexKeys: the keys only, sorted.
  log('with pod-1', names(indexer.index('namespace', pod1)))
  log('on node2', names(indexer.byIndex('nodeName', 'node2')))
  log('keys', indexer.indexKeys('namespace', 'kube-system'))
  log('values', indexer.listIndexFuncValues('nodeName').sort())
  log('indices', Object.keys(indexer.getIndexers()))

  // AddIndexers: also after there is data; the new name is known to the compiler from here on.
  const more = indexer.addIndexers({ phase: ({ status }: Pod) => [status?.phase ?? 'Unknown'] })
  log('unknown', names(more.byIndex('phase', 'Unknown')))

  // What an index is: values that lead to keys.
  const index = (name: 'namespace' | 'nodeName'): Index =>
    new Map(indexer.listIndexFuncValues(name).map((value) => [value, new Set(indexer.indexKeys(name, value))]))
  const indices: Indices<'namespace' | 'nodeName'> = { namespace: index('namespace'), nodeName: index('nodeName') }
  log('node1', [...(indices.nodeName.get('node1') ?? [])])

  // ThreadSafeStore: the same with explicit keys.
  const raw = new ThreadSafeStore<Pod, 'nodeName'>({ nodeName: nodeNameIndexFunc })
  raw.add('default/pod-1', pod1)
  log('raw', names(raw.byIndex('nodeName', 'node1')))
}
