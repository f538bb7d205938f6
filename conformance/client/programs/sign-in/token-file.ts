import { connect } from '@binnacle/client'

// The file is read again as it rotates, and at once when the server refuses the token. So are certificates by their paths.
const server = process.env['SERVER'] ?? 'https://10.0.0.1:6443'
await using client = await connect({ kubeconfig: { server, tokenPath: process.env['TOKEN_FILE'] ?? '/run/token' } })
console.log((await client.get('namespaces', 'default')).metadata.name)
