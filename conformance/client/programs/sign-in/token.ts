import { connect } from '@binnacle/client'

const server = process.env['SERVER'] ?? 'https://10.0.0.1:6443'
await using client = await connect({ kubeconfig: { server, token: process.env['TOKEN'] ?? 'abc' } })
console.log((await client.get('namespaces', 'default')).metadata.name)
