import { Indexer, metaNamespaceIndexFunc, metaNamespaceKeyFunc } from '@binnacle/cache'
import type { Pod } from '@binnacle/client'

const pod = (name: string, namespace: string, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid: name, resourceVersion: '1' },
  spec: { nodeName, containers: [] },
})

// Index functions give the values of one object; none means that it is not in that index.
const indexer = new Indexer(metaNamespaceKeyFunc, {
  namespace: metaNamespaceIndexFunc,
  node: (pod: Pod) => [pod.spec.nodeName ?? ''],
})
indexer.replace([pod('a', 'shop', 'node1'), pod('b', 'shop', 'node2'), pod('c', 'kube-system', 'node2')], '1')

console.log(indexer.byIndex('node', 'node2').map(({ metadata }) => metadata.name)) // 'nod' does not compile
console.log(indexer.index('namespace', pod('x', 'shop', 'node9')).length) // all that share a value with this one
console.log(indexer.indexKeys('node', 'node1'), indexer.listIndexFuncValues('namespace'))

// More indices, also when there is data; the compiler knows the new name.
const more = indexer.addIndexers({ first: ({ metadata }: Pod) => [metadata.name.charAt(0)] })
console.log(more.byIndex('first', 'c').length)
