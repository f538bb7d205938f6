/** Two indices over the pods of a server: the time until they are filled, what they cost, and how fast they are read. */
import { connect, index, operator } from 'binnacle'

const { url, lookups = 2_000_000 } = JSON.parse(process.argv[2] ?? '{}')
const gc = /** @type {() => void} */ (globalThis.gc)

const op = operator('indices', {
  indices: {
    byNamespace: index('pods', ({ namespace, name }) => ({ [namespace]: name })),
    byNode: index('pods', ({ spec, name }) => ({ [spec.nodeName]: name })),
  },
})
const client = await connect({ kubeconfig: { server: url } })
gc()
const before = process.memoryUsage().heapUsed
const begun = performance.now()
const running = await op.start({ client, logger: { level: 'error' } })
const indexedMs = performance.now() - begun
for (let i = 0; i < 3; i++) {
  await new Promise((resolve) => setTimeout(resolve, 100))
  gc()
}
const heap = process.memoryUsage().heapUsed - before
const { byNode } = running.indices
const keys = [...byNode.keys()]
const [stream] = running.health().streams
const pods = stream?.objects ?? 0
let found = 0
const reading = performance.now()
for (let i = 0; i < lookups; i++) found += byNode.get(/** @type {string} */ (keys[i % keys.length])).size
const seconds = (performance.now() - reading) / 1000
if (found === 0 || pods === 0) throw new Error('The index is empty')
console.log(
  JSON.stringify({
    pods,
    indexedMs,
    heapKBPerObject: heap / pods / 1024,
    lookupsPerSecond: lookups / seconds,
  }),
)
await running.stop()
process.exit()
