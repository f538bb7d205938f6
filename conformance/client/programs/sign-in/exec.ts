import { connect } from '@binnacle/client'

// What clouds put into kubeconfigs: a program that prints credentials. One process serves all callers, and runs again
// shortly before the credentials expire. Here it is given by hand, and so it has to be allowed by name.
const server = process.env['SERVER'] ?? 'https://10.0.0.1:6443'
const command = process.env['LOGIN'] ?? 'aws'
await using client = await connect({
  kubeconfig: { server, exec: { command, args: ['get-token'], apiVersion: 'client.authentication.k8s.io/v1' } },
  execPlugins: [command],
  loginTimeout: '30s',
})
console.log((await client.get('namespaces', 'default')).metadata.name)
