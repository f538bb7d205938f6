import { connect } from '@binnacle/client'

await using client = await connect()

// A mixed set, such as a parsed YAML file: namespaces and definitions come first, whatever the order of the set.
const applied = await client.applyAll([
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' }, data: { color: 'blue' } },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
])
console.log(applied.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
