import { connect } from '@binnacle/client'

await using client = await connect()

// Names, labels and owners of large objects, without the objects. It works for list, items and watch as well.
const { metadata } = await client.get('namespaces', 'default', { metadataOnly: true })
console.log(metadata.uid)
