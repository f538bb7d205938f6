/**
 * Ours: an informer with two indices and one handler. Prints one line of figures.
 *
 *     node --expose-gc binnacle.mjs <url> [events]
 */
import { ListWatch, metaNamespaceIndexFunc, SharedIndexInformer } from '@binnacle/cache'
import { connect } from '@binnacle/client'
import { memory, peakRssMB, print, watchLoop } from '../figures.mjs'

const [url = '', asked = '100000'] = process.argv.slice(2)
const events = Number(asked)

const client = await connect({ kubeconfig: { server: url }, namespace: '*' })
const informer = new SharedIndexInformer(new ListWatch(client, 'pods'), {
  name: 'pods',
  indexers: { namespace: metaNamespaceIndexFunc, node: (/** @type {any} */ pod) => [pod.spec.nodeName] },
  onWatchError: () => {},
})
let adds = 0
let updates = 0
let first = 0
/** @type {(value?: unknown) => void} */
let finished = () => {}
informer.addEventHandler({
  onAdd: () => void adds++,
  onUpdate: () => {
    if (++updates === 1) first = performance.now()
    if (updates === events) finished()
  },
})

const base = memory()
const loop = watchLoop()
loop.take()
const cpu = process.cpuUsage()
const begun = performance.now()
const stop = new AbortController()
const run = informer.run(stop.signal)
await informer.whenSynced()
const syncMs = performance.now() - begun
const cpuSyncMs = process.cpuUsage(cpu).user / 1000
while (adds < informer.getStore().size) await new Promise((resolve) => setTimeout(resolve, 1))
const handledMs = performance.now() - begun
const inSync = loop.take()
const peakSyncRssMB = peakRssMB()
const synced = memory()
const objects = informer.getStore().size

const done = new Promise((resolve) => {
  finished = resolve
})
// Node loads its own fetch when it is first used, which would count as a block of ours.
await fetch(`${url}/version`)
loop.take()
if (events > 0) {
  await fetch(`${url}/go`)
  await done
}
const watchMs = performance.now() - first
const inWatch = loop.take()
const afterWatch = memory()

updates = 0
loop.take()
const relistBegun = performance.now()
await fetch(`${url}/relist`)
const version = informer.lastSyncResourceVersion
while (informer.lastSyncResourceVersion === version) await new Promise((resolve) => setTimeout(resolve, 1))
while (updates < objects / 100) await new Promise((resolve) => setTimeout(resolve, 1))
await new Promise((resolve) => setTimeout(resolve, 100))
const inRelist = loop.take()

print({
  objects,
  syncMs: Math.round(syncMs),
  handledMs: Math.round(handledMs),
  cpuSyncMs: Math.round(cpuSyncMs),
  loopBlockedMsInSync: inSync.blocked,
  longestGcMsInSync: inSync.gc,
  syncedRssMB: synced.rssMB,
  heapKBperPod: Math.round(((synced.heapMB - base.heapMB) * 1024 * 100) / objects) / 100,
  peakSyncRssMB,
  eventsPerSec: events > 0 ? Math.round((events - 1) / (watchMs / 1000)) : 0,
  loopBlockedMsInWatch: inWatch.blocked,
  longestGcMsInWatch: inWatch.gc,
  heapKBperPodAfterWatch: Math.round(((afterWatch.heapMB - base.heapMB) * 1024 * 100) / objects) / 100,
  relistMs: Math.round(performance.now() - relistBegun - 100),
  relistCallbacks: updates,
  // One pod in a hundred has changed.
  relistCallbacksPerChange: updates / (objects / 100),
  loopBlockedMsInRelist: inRelist.blocked,
  peakRssMB: peakRssMB(),
  inOneNamespace: informer.getIndexer().byIndex('namespace', 'team-0').length,
})
loop.stop()
stop.abort()
await run
await client[Symbol.asyncDispose]()
