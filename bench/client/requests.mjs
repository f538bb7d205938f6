/** Small requests over TLS: how many a second, and how many connections they took. */
import { request } from 'node:https'
import { pathToFileURL } from 'node:url'

const { who, peer, url, ca, total, parallel } = JSON.parse(process.argv[2] ?? '{}')

/** @returns {Promise<{ connections: number }>} */
const stats = () =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/stats`, { ca, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve(JSON.parse(text)))
    })
    asked.on('error', reject).end()
  })

/** @returns {Promise<() => Promise<unknown>>} */
async function contender() {
  if (who === 'ours') {
    const { connect, resource } = await import('@binnacle/client')
    const client = await connect({ kubeconfig: { server: url, caData: ca, token: 't' } })
    const Namespace = resource({ group: '', version: 'v1', kind: 'Namespace', scope: 'Cluster' })
    return () => client.get(Namespace, 'default')
  }
  const { KubeConfig, CoreV1Api } = await import(pathToFileURL(`${peer}/dist/index.js`).href)
  const config = new KubeConfig()
  config.loadFromOptions({
    clusters: [{ name: 'c', server: url, caData: Buffer.from(ca).toString('base64') }],
    users: [{ name: 'u', token: 't' }],
    contexts: [{ name: 'x', cluster: 'c', user: 'u' }],
    currentContext: 'x',
  })
  const api = config.makeApiClient(CoreV1Api)
  return () => api.readNamespace({ name: 'default' })
}

const ask = await contender()
const before = await stats()
// Three seconds for each contender, so that the compiler has done its work: operators run for months.
const warm = performance.now() + 3000
const warmUp = async () => {
  while (performance.now() < warm) await ask()
}
await Promise.all(Array.from({ length: parallel }, warmUp))
let left = total
const cpu = process.cpuUsage()
const began = performance.now()
const worker = async () => {
  while (left-- > 0) await ask()
}
await Promise.all(Array.from({ length: parallel }, worker))
const seconds = (performance.now() - began) / 1000
const { user, system } = process.cpuUsage(cpu)
// Those of the warm-up count: they are used again. One was made by the question itself.
const connections = (await stats()).connections - before.connections - 1
console.log(JSON.stringify({ perSecond: total / seconds, cpuMicros: (user + system) / total, connections }))
process.exit()
