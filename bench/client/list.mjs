/**
 * A large list, kept in a Map: how long it takes, how long the event loop stands still meanwhile, and the most memory it takes.
 * The floor is what Node's own parts can do without any guarantee: find the items by counting braces, cut managedFields where they are first named, parse.
 */
import { get } from 'node:http'
import { pathToFileURL } from 'node:url'
import { peakRssMB, watchLoop } from '../figures.mjs'
import { floorItems } from './floor.mjs'

const { who, pods, peer, url } = JSON.parse(process.argv[2] ?? '{}')
/** @type {Map<string, unknown>} */
const kept = new Map()
/** @param {{ metadata: { namespace?: string, name?: string } }} pod */
const keep = (pod) => kept.set(`${pod.metadata.namespace}/${pod.metadata.name}`, pod)

async function ours() {
  const { connect, resource } = await import('@binnacle/client')
  const client = await connect({ kubeconfig: { server: url }, namespace: '*' })
  const Pod = resource({ group: '', version: 'v1', kind: 'Pod' })
  return async () => {
    for await (const pod of client.items(Pod)) keep(pod)
  }
}

async function clientNode() {
  const { KubeConfig, CoreV1Api } = await import(pathToFileURL(`${peer}/dist/index.js`).href)
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'c', server: url, skipTLSVerify: true }],
    users: [{ name: 'u' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  const api = config.makeApiClient(CoreV1Api)
  return async () => {
    for (const pod of (await api.listPodForAllNamespaces()).items) keep(pod)
  }
}

async function floor() {
  return async () => {
    /** @type {import('node:http').IncomingMessage} */
    const response = await new Promise((resolve, reject) => get(`${url}/api/v1/pods`, resolve).on('error', reject))
    for await (const pod of floorItems(response)) keep(pod)
  }
}

const read = await (who === 'ours' ? ours() : who === 'floor' ? floor() : clientNode())
const loop = watchLoop()
loop.take()
const cpu = process.cpuUsage()
const began = performance.now()
await read()
const ms = performance.now() - began
const { user, system } = process.cpuUsage(cpu)
await new Promise((resolve) => setTimeout(resolve, 20))
const { blocked: loopBlockedMs, gc: longestGcMs } = loop.take()
if (kept.size !== pods) throw new Error(`${kept.size} pods instead of ${pods}`)
console.log(JSON.stringify({ ms, cpuMs: (user + system) / 1000, loopBlockedMs, longestGcMs, peakRssMB: peakRssMB() }))
process.exit()
