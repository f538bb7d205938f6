import { connect } from '@binnacle/client'

// Or proxy-url of the cluster in the kubeconfig: http, https or socks5.
const { SERVER: server = 'https://10.0.0.1:6443', PROXY: proxyUrl = 'socks5://127.0.0.1:1080' } = process.env
await using client = await connect({ kubeconfig: { server, proxyUrl }, compression: 'gzip' })
console.log((await client.get('namespaces', 'default')).metadata.name)
