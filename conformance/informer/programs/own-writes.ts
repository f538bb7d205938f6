import { ListWatch, MutationCache, SharedIndexInformer } from '@binnacle/cache'
import { type ConfigMap, connect } from '@binnacle/client'

await using client = await connect()
const { metadata } = await client.apply('configmaps', { metadata: { name: 'settings' }, data: { count: '1' } })
const key = `${metadata.namespace}/settings`

await using informer = new SharedIndexInformer<ConfigMap>(new ListWatch(client, 'configmaps'))
void informer.run(AbortSignal.timeout(60_000))
await informer.whenSynced()

// A cache is behind the server by the length of a watch. Lay one's own writes over it ...
const mutations = new MutationCache(informer.getIndexer(), { includeAdds: true })
informer.subscribe((change) => mutations.observe(change))
const written = await client.patch('configmaps', 'settings', { data: { count: '2' } })
mutations.mutation(written)
console.log(mutations.getByKey(key)?.data?.['count'])

// ... or wait until the cache has seen them.
await informer.getIndexer().waitForResourceVersion(written.metadata.resourceVersion, AbortSignal.timeout(10_000))
console.log(informer.getStore().getByKey(key)?.data?.['count'])
