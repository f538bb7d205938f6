import { connect } from '@binnacle/client'

const server = process.env['SERVER'] ?? 'https://10.0.0.1:6443'
const password = process.env['PASSWORD'] ?? 'abc'
await using client = await connect({ kubeconfig: { server, username: 'me', password } })
console.log((await client.get('namespaces', 'default')).metadata.name)
