/** Our operator, as anybody would write it, and nothing to do. `node binnacle.mjs <url>` */
import { operator } from 'binnacle'

const op = operator('bench')
op.on.create('widgets.peers.dev', () => {})
op.on.update('widgets.peers.dev', () => {})
await op.run({ kubeconfig: { server: process.argv[2] ?? '' }, logger: { level: 'error' } })
