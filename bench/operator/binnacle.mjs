/**
 * The operator of the bench, as anybody would write it with us. The cluster is that of KUBECONFIG.
 *
 *     node binnacle.mjs [--finalizer] [--state status]
 *
 * `--state status` keeps the framework's own state in the status, beside what the handler writes: one request for both.
 */
import { subscribe } from 'node:diagnostics_channel'
import { operator, statusDiffBase, statusProgress } from 'binnacle'

const inStatus = process.argv.includes('--state')
const settings = inStatus
  ? { persistence: { progressStorage: statusProgress(), diffbaseStorage: statusDiffBase() } }
  : {}
const op = operator('bench', { settings })

/** @param {{ spec: { value?: number }, patch: { status: Record<string, unknown> } }} context */
function handle({ spec, patch }) {
  patch.status['phase'] = 'done'
  patch.status['observed'] = spec.value
}
op.on.create('widgets.peers.dev', handle)
op.on.resume('widgets.peers.dev', handle)
op.on.update('widgets.peers.dev', handle)
if (process.argv.includes('--finalizer')) op.on.delete('widgets.peers.dev', () => {})

let writes = 0
let calls = 0
let connections = 0
subscribe('undici:client:connected', () => void connections++)
await op.run({
  logger: { level: 'warn' },
  observer: { write: () => void writes++, run: ({ outcome }) => void (outcome === 'running' && calls++) },
})
console.log(JSON.stringify({ writes, calls, connections }))
