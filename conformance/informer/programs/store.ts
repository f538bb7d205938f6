import { ExpirationCache, metaNamespaceKeyFunc, Store } from '@binnacle/cache'
import type { KubeObject } from '@binnacle/core'

const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', uid: `uid-of-${name}`, resourceVersion },
})

const store = new Store<KubeObject>(metaNamespaceKeyFunc)
store.add(object('a', '1'))
store.update(object('a', '2')) // the same as add: what has the key is replaced
store.replace([object('b', '3'), object('c', '4')], '4') // the whole content, in one step
store.delete(object('c', '4'))
console.log(store.listKeys(), store.getByKey('shop/b')?.metadata.resourceVersion, store.has('shop/a'))

// A store whose items expire; they are found out when somebody reads.
const fresh = new ExpirationCache<KubeObject>(metaNamespaceKeyFunc, '10m')
fresh.add(object('a', '1'))
console.log(fresh.list().length)
