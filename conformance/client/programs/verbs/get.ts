import { connect } from '@binnacle/client'

await using client = await connect()

const { metadata } = await client.get('namespaces', 'default') // throws NotFoundError
console.log(metadata.name)

const missing = await client.find('configmaps', 'default/nothing') // undefined instead
console.log(missing === undefined ? 'not there' : missing.data)
