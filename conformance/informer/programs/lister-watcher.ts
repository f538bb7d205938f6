import { type ListerWatcher, ListWatch } from '@binnacle/cache'
import { type ConfigMap, connect } from '@binnacle/client'

await using client = await connect()
await client.apply('configmaps', { metadata: { name: 'settings' }, data: { color: 'blue' } })

// From a client and a resource; two functions of one's own would do as well.
const source: ListerWatcher<ConfigMap> = new ListWatch(client, 'configmaps', { fields: 'metadata.name=settings' })

const { items, metadata } = await source.list({})
console.log('listed', items.length)

// A watch from the version of the list misses nothing that happens in between.
await client.patch('configmaps', 'settings', { data: { seen: String(Date.now()) } })
for await (const event of source.watch({ resourceVersion: metadata.resourceVersion })) {
  console.log('watched', event.type)
  break
}
