/** The informer of client-node. `CLIENT_NODE=<the directory of the package> node client-node.mjs <url>` */
import { pathToFileURL } from 'node:url'

const { CoreV1Api, KubeConfig, makeInformer } = await import(
  pathToFileURL(`${process.env['CLIENT_NODE']}/dist/index.js`).href
)
const config = new KubeConfig()
config.loadFromOptions({
  clusters: [{ name: 'c', server: process.argv[2], skipTLSVerify: true }],
  users: [{ name: 'u', token: 't' }],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
})
const api = config.makeApiClient(CoreV1Api)
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces())
informer.on('error', () => {})
await informer.start()
