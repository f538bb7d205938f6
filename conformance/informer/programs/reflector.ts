import { Indexer, ListWatch, metaNamespaceKeyFunc, Reflector } from '@binnacle/cache'
import { type ConfigMap, connect } from '@binnacle/client'

await using client = await connect()
await client.apply('configmaps', { metadata: { name: 'settings' }, data: { color: 'blue' } })

// Keeps a store equal to what the server has: lists, watches, and lists again when the watch cannot go on.
const store = new Indexer<ConfigMap>(metaNamespaceKeyFunc)
const reflector = new Reflector(new ListWatch(client, 'configmaps'), store, { name: 'configmaps', resync: '10h' })
const stop = new AbortController()
const run = reflector.run(stop.signal)

// What it has written itself, it can wait for.
const { metadata } = await client.patch('configmaps', 'settings', { data: { color: 'red' } })
await store.waitForResourceVersion(metadata.resourceVersion, AbortSignal.timeout(10_000))
console.log(store.getByKey(`${metadata.namespace}/settings`)?.data?.['color'])
console.log(reflector.state, reflector.staleness < 10, reflector.lastError === undefined) // for health

stop.abort()
await run
