import { ListWatch, SharedIndexInformer } from '@binnacle/cache'
import { type ConfigMap, connect } from '@binnacle/client'

await using client = await connect()
await client.apply('configmaps', { metadata: { name: 'settings' }, data: { color: 'blue' } })

await using informer = new SharedIndexInformer(new ListWatch(client, 'configmaps'), {
  name: 'configmaps',
  indexers: { color: (map: ConfigMap) => (map.data?.['color'] ? [map.data['color']] : []) },
})
// Any number of handlers, also while it runs; each hears of everything there is first, and has a bounded buffer of its own.
const painter = informer.addEventHandler({
  onAdd: ({ metadata }, isInInitialList) => console.log('here is', metadata.name, isInInitialList),
  onUpdate: (old, { data }) => console.log('was', old.data?.['color'], 'is', data?.['color']),
  onDelete: ({ key, finalStateUnknown }) => console.log(finalStateUnknown ? 'vanished' : 'deleted', key),
})
void informer.run(AbortSignal.timeout(60_000))
await painter.whenSynced()
console.log(informer.getIndexer().byIndex('color', 'blue').length > 0)

// The same by iteration: what there is, and what happens from now on, until it is left.
const changes = informer.changes()
await client.delete('configmaps', 'settings')
for await (const { type, key } of changes) {
  if (type === 'delete' && key.endsWith('/settings')) break
}
