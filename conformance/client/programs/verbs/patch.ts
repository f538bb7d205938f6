import { connect } from '@binnacle/client'

await using client = await connect()

const { metadata } = await client.create('configmaps', { metadata: { generateName: 'patched-' }, data: { a: '1' } })
await client.patch('configmaps', metadata.name, { data: { a: null, b: '2' } }) // an object: a merge patch
await client.patch('configmaps', metadata.name, [{ op: 'test', path: '/data/b', value: '2' }]) // a list: a JSON patch
console.log((await client.get('configmaps', metadata.name)).data)
