/**
 * A peer: the informer of @kubernetes/client-node, with its typed list.
 *
 *     CLIENT_NODE=<the directory of the package> node --expose-gc client-node.mjs <url> [events]
 */
import { pathToFileURL } from 'node:url'
import { memory, peakRssMB, print, watchLoop } from '../figures.mjs'

const [url = '', asked = '100000'] = process.argv.slice(2)
const events = Number(asked)
const installed = `${process.env['CLIENT_NODE']}/dist/index.js`
const { CoreV1Api, KubeConfig, makeInformer } = await import(pathToFileURL(installed).href)
const config = new KubeConfig()
config.loadFromOptions({
  clusters: [{ name: 'c', server: url, skipTLSVerify: true }],
  users: [{ name: 'u', token: 't' }],
  contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
  currentContext: 'x',
})
const api = config.makeApiClient(CoreV1Api)
let adds = 0
let updates = 0
let first = 0
/** @type {(value?: unknown) => void} */
let finished = () => {}
const informer = makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces())
informer.on('add', () => adds++)
informer.on('error', () => {})
informer.on('update', () => {
  if (++updates === 1) first = performance.now()
  if (updates === events) finished()
})
const base = memory()
const loop = watchLoop()
loop.take()
const cpu = process.cpuUsage()
const begun = performance.now()
await informer.start()
const syncMs = performance.now() - begun
const cpuSyncMs = process.cpuUsage(cpu).user / 1000
const { blocked: loopBlockedMsInSync } = loop.take()
const peakSyncRssMB = peakRssMB()
const synced = memory()
const done = new Promise((resolve) => {
  finished = resolve
})
// Node loads its own fetch when it is first used.
await fetch(`${url}/version`)
loop.take()
if (events > 0) {
  await fetch(`${url}/go`)
  await done
}
const watchMs = performance.now() - first
print({
  objects: adds,
  syncMs: Math.round(syncMs),
  cpuSyncMs: Math.round(cpuSyncMs),
  loopBlockedMsInSync,
  syncedRssMB: synced.rssMB,
  heapKBperPod: Math.round(((synced.heapMB - base.heapMB) * 1024 * 100) / adds) / 100,
  peakSyncRssMB,
  eventsPerSec: events > 0 ? Math.round((events - 1) / (watchMs / 1000)) : 0,
  loopBlockedMsInWatch: loop.take().blocked,
  peakRssMB: peakRssMB(),
})
process.exit(0)
