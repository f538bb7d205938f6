import { connect } from '@binnacle/client'

const { SERVER: server = 'https://10.0.0.1:6443', PKI: pki = '/etc/pki' } = process.env
await using client = await connect({
  kubeconfig: { server, caPath: `${pki}/ca.crt`, certificatePath: `${pki}/me.crt`, privateKeyPath: `${pki}/me.key` },
})
console.log((await client.get('namespaces', 'default')).metadata.name)
