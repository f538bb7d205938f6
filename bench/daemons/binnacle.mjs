/** A daemon and a timer for each widget of a server: to start them all, what they cost at rest, and to stop them. */
import { readFileSync } from 'node:fs'
import { connect, operator } from 'binnacle'

const { url, widgets, idle } = JSON.parse(process.argv[2] ?? '{}')
const gc = /** @type {() => void} */ (globalThis.gc)
/** MB: `VmRSS` is what is held now, `VmHWM` the most that ever was. */
const memory = (/** @type {string} */ which) =>
  Number(new RegExp(`${which}:\\s+(\\d+)`).exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
const sleep = (/** @type {number} */ seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

const say = (/** @type {string} */ what) => console.error(`  ours: ${what}`)

let daemons = 0
const timed = new Set()
let ticks = 0
let allUp = () => {}
const up = new Promise((resolve) => {
  allUp = () => resolve(undefined)
})
const check = () => daemons === widgets && timed.size === widgets && allUp()

const op = operator('daemons', { settings: { posting: { enabled: false } } })
op.daemon('widgets.peers.dev', { id: 'accompany' }, async ({ stopped }) => {
  daemons++
  check()
  while (!stopped.aborted) await stopped.wait(10)
})
op.timer('widgets.peers.dev', { id: 'tick', interval: 10 }, ({ uid }) => {
  ticks++
  timed.add(uid)
  check()
})

const client = await connect({ kubeconfig: { server: url } })
// What runs an operator is loaded when the first one runs, and Kopf's when it is imported: neither is a part of what an object costs.
await (await operator('before').start({ client, logger: { level: 'error' } })).stop()
gc()
const base = memory('VmRSS')
const begun = performance.now()
const cpuBegun = process.cpuUsage()
const running = await op.start({ client, logger: { level: 'error' } })
const progress = setInterval(() => say(`${daemons} daemons, ${timed.size} timers`), 5000)
await up
clearInterval(progress)
const spawnMs = performance.now() - begun
say(`all of ${widgets} up in ${Math.round(spawnMs)} ms; at rest for ${12 + idle} s`)
const { user, system } = process.cpuUsage(cpuBegun)
timed.clear()
await sleep(12)
const ticksBefore = ticks
const cpuBefore = process.cpuUsage()
const idleBegun = performance.now()
await sleep(idle)
const used = process.cpuUsage(cpuBefore)
const idleMs = performance.now() - idleBegun
gc()
const kbPerObject = ((memory('VmRSS') - base) * 1024) / widgets
const peakKBPerObject = ((memory('VmHWM') - base) * 1024) / widgets
const heapKBPerObject = process.memoryUsage().heapUsed / widgets / 1024
say('stopping')
const stopping = performance.now()
await running.stop()
console.log(
  JSON.stringify({
    spawnMs,
    spawnCpuMs: (user + system) / 1000,
    kbPerObject,
    peakKBPerObject,
    heapKBPerObject,
    idleCpuPercent: (used.user + used.system) / 10 / idleMs,
    ticksPerSecond: ((ticks - ticksBefore) / idleMs) * 1000,
    stopMs: performance.now() - stopping,
  }),
)
process.exit()
