import { connect } from '@binnacle/client'

await using client = await connect()

const { items, metadata } = await client.list('namespaces', { labels: 'env!=test' }) // all of them, at one version
console.log(items.length, metadata.resourceVersion)

for await (const namespace of client.items('namespaces')) console.log(namespace.metadata.name) // as their bytes arrive

for await (const page of client.pages('configmaps', { namespace: '*', limit: 500 })) console.log(page.items.length)
