/**
 * Objects that come and go, again and again, with everything that an operator can have for them: what is left of it? From the built packages, in a
 * process of its own: node --expose-gc many-lives.mjs OBJECTS ROUNDS [RELISTS]. Prints what it found after each round, as lines of JSON.
 */
import { fork } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import { index, KubeConfig, operator, resource } from 'binnacle'

const [objects = 10_000, rounds = 5, relists = 0] = process.argv.slice(2).map(Number)
const gc = /** @type {() => void} */ (globalThis.gc)
const Widget = resource({ group: 'e2e.example.com', version: 'v1', kind: 'Widget' })
const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))

const calls = { create: 0, delete: 0, event: 0, daemon: 0, timer: 0 }
let accompanied = 0
const op = operator('lives', {
  indices: { byLabel: index(Widget, ({ labels, name }) => ({ [labels['app'] ?? '']: name })) },
})
op.on.create(Widget, ({ patch, name }) => {
  calls.create++
  patch.status.greeting = `Hello, ${name}!`
})
op.on.delete(Widget, () => void calls.delete++)
op.on.event(Widget, () => void calls.event++)
op.daemon(Widget, async ({ stopped }) => {
  calls.daemon++
  accompanied++
  await stopped.wait('1h')
  accompanied--
})
op.timer(Widget, { interval: '1h', idle: 0 }, () => void calls.timer++)

/** Lists of widgets that are complete. */
let lists = 0
const metrics = {
  counter: () => ({ add() {} }),
  gauge: () => ({ set() {} }),
  histogram: (/** @type {string} */ figure) => ({
    observe(/** @type {number} */ _, /** @type {{ readonly [label: string]: string }} */ labels = {}) {
      if (figure === 'reflector_list_duration_seconds' && labels['name'] === 'widgets.e2e.example.com') lists++
    },
  }),
}

const server = fork(fileURLToPath(new URL('./many-lives-cluster.mjs', import.meta.url)), { execArgv: [] })
const [{ kubeconfig }] = await once(server, 'message')
const stop = new AbortController()
const running = await op.start({
  kubeconfig: KubeConfig.fromString(kubeconfig),
  logger: { level: 'error' },
  metrics,
  settings: { posting: { enabled: false } },
  signal: stop.signal,
})

/** @param {'create' | 'delete' | 'relist'} verb @param {number} count */
async function have(verb, count) {
  server.send({ verb, count })
  await once(server, 'message')
}

/** @param {() => boolean} condition */
async function until(condition) {
  for (let quiet = 0; quiet < 5; quiet = condition() && running.activity().length === 0 ? quiet + 1 : 0) await pause(20)
}

/** The watch is cut and its version is forgotten, so that everything is listed anew. */
async function relist() {
  const before = lists
  await have('relist', 0)
  await until(() => lists > before && running.health().streams[0]?.state === 'watching')
}

/** After collections, with turns of the event loop between them, since some things are let go in a later one. */
async function heap() {
  for (let i = 0; i < 4; i++) {
    gc()
    await pause(30)
  }
  return getHeapStatistics().used_heap_size
}

/** Whatever can be counted exactly. */
function counts() {
  const health = running.health()
  const timers = process.getActiveResourcesInfo().filter((sort) => sort === 'Timeout').length
  return {
    objects: health.streams[0]?.objects,
    indexed: running.indices.byLabel.size,
    accompanied,
    background: health.background,
    queue: { waiting: health.queue.waiting, running: health.queue.running },
    tasks: health.tasks.length,
    timers,
    listeners: getEventListeners(stop.signal, 'abort').length,
  }
}

/** @param {number} count */
async function life(count) {
  await have('create', count)
  await until(() => accompanied === count && running.health().background.running === 2 * count)
  const peak = counts()
  for (let i = 0; i < relists; i++) await relist()
  await have('delete', count)
  await until(() => accompanied === 0 && running.health().streams[0]?.objects === 0)
  return peak
}

await life(Math.min(200, objects)) // Code is compiled and pools are filled once.
const baseline = { counts: counts(), heap: await heap() }
console.log(JSON.stringify({ baseline }))
for (let round = 1; round <= rounds; round++) {
  const begun = performance.now()
  const peak = await life(objects)
  console.log(
    JSON.stringify({ round, peak, counts: counts(), heap: await heap(), seconds: (performance.now() - begun) / 1000 }),
  )
}
console.log(JSON.stringify({ calls }))
await running.stop()
server.disconnect()
