/**
 * The operator of the soak, which looks at itself: heap after a collection, sockets, timers, and the lag of its event loop. The cluster is that of KUBECONFIG.
 *
 *     node --expose-gc operator.mjs <seconds between two looks>
 *
 * Ends at SIGTERM, and prints what it has seen as a line of JSON.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { operator } from 'binnacle'

const every = Number(process.argv[2] ?? 5)
const op = operator('soak')
/** @param {{ spec: { value?: number }, patch: { status: Record<string, unknown> } }} context */
function handle({ spec, patch }) {
  patch.status['observed'] = spec.value
}
op.on.create('widgets.peers.dev', handle)
op.on.update('widgets.peers.dev', handle)
op.on.delete('widgets.peers.dev', () => {})

const series = { seconds: [], heapMB: [], sockets: [], timers: [], lagMs: [] }
/** @param {RegExp} pattern */
const active = (pattern) => process.getActiveResourcesInfo().filter((name) => pattern.test(name)).length
const lag = monitorEventLoopDelay({ resolution: 5 })
const begun = performance.now()

function look() {
  const push = (/** @type {keyof typeof series} */ name, /** @type {number} */ value) =>
    /** @type {number[]} */ (series[name]).push(Math.round(value * 100) / 100)
  push('seconds', (performance.now() - begun) / 1000)
  push('sockets', active(/TCP|TLS/))
  push('timers', active(/Timeout/))
  push('lagMs', lag.percentile(99) / 1e6)
  globalThis.gc?.()
  push('heapMB', process.memoryUsage().heapUsed / 2 ** 20)
  // The collection that was asked for is none of the operator's.
  lag.reset()
}

lag.enable()
const looking = setInterval(look, every * 1000)
await op.run({ logger: { level: 'error' } })
clearInterval(looking)
lag.disable()
await new Promise((resolve) => setTimeout(resolve, 200))
console.log(JSON.stringify({ series, leftBehind: active(/TCP|TLS|Timeout/) }))
process.exit()
