/**
 * Prints, as JSON, which files a program reads until it has imported `binnacle`, and until an operator that it has started lists for the first time; beside
 * this file itself. `node files.mjs`
 */
import { once } from 'node:events'
import http from 'node:http'
import { createRequire, register } from 'node:module'
import { MessageChannel } from 'node:worker_threads'

/** @type {string[]} */
const modules = []
const { port1, port2 } = new MessageChannel()
port1.on('message', (url) => modules.push(url))
port1.unref()
register('./files-hooks.mjs', import.meta.url, { data: port2, transferList: [port2] })

/** What came by `import`, and what that has required in turn. @returns {Promise<readonly string[]>} */
async function read() {
  // What the hooks have said by now is heard.
  await new Promise((resolve) => setTimeout(resolve, 50))
  return [
    ...new Set([...modules, ...Object.keys(createRequire(import.meta.url).cache).map((path) => `file://${path}`)]),
  ]
}

const { operator } = await import('binnacle')
const atImport = await read()

const server = http.createServer((request, response) => {
  if (request.url?.startsWith('/api/v1/pods')) server.emit('listed')
  const known = { '/api': { versions: ['v1'] }, '/apis': { groups: [] }, '/api/v1': { resources: [POD] } }
  const answer = /** @type {Record<string, object>} */ (known)[request.url ?? '']
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answer ?? { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] }))
})
const POD = { name: 'pods', kind: 'Pod', namespaced: true, singularName: 'pod', verbs: ['list', 'watch', 'patch'] }
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

const op = operator('reader')
op.on.create('pods', () => {})
const listed = once(server, 'listed')
op.run({ kubeconfig: { server: url }, logger: { level: 'error' } })
await listed
console.log(JSON.stringify({ atImport, atList: await read() }))
process.exit()
