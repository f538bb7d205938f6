/**
 * An API server of pods and nothing else, in a process of its own: what it sends is made before anybody asks, so that only the
 * contender works.
 *
 *     node server.mjs [pods] [events]
 *
 * Prints its port.
 *
 * GET /api/v1/pods                 the whole list, as from a watch cache; in pages if there is a limit and no version 0
 * GET /api/v1/pods?watch=true      after GET /go the events, as fast as they are read, then a bookmark, then silence
 * GET /reset                       as it was in the beginning
 * GET /go                          lets the events go
 * GET /relist                      one pod in a hundred changes, and every watch ends with 410
 */
import { once } from 'node:events'
import http from 'node:http'
import { eventLine, listHead, makePod } from '../data/pods.mjs'

const [pods = '50000', events = '100000'] = process.argv.slice(2)
const N = Number(pods)
const E = Number(events)
const FIRST = 9_000_000
const CHUNK = 256 * 1024

/** @param {number} i @param {number} [rv] */
function item(i, rv) {
  const { kind: _, apiVersion: __, ...rest } = makePod(i, rv === undefined ? {} : { rv })
  return Buffer.from(JSON.stringify(rest))
}

/** @param {readonly Buffer[]} items @param {number} version */
function listed(items, version) {
  const chunks = [Buffer.from(listHead(version))]
  let parts = []
  let size = 0
  for (const [i, bytes] of items.entries()) {
    if (i > 0) parts.push(Buffer.from(','))
    parts.push(bytes)
    size += bytes.length
    if (size < CHUNK && i < items.length - 1) continue
    chunks.push(Buffer.concat(parts))
    parts = []
    size = 0
  }
  return [...chunks, Buffer.from(']}\n')]
}

const items = Array.from({ length: N }, (_, i) => item(i))
const whole = listed(items, FIRST)
const lines = []
for (let k = 0; k < E; k += 16) {
  const batch = Array.from({ length: Math.min(16, E - k) }, (_, j) => eventLine((k + j) % N, FIRST + 1 + k + j))
  lines.push(Buffer.concat(batch))
}
/** The version of a pod after all events. @param {number} i */
const after = (i) => (i < E ? FIRST + 1 + i + N * Math.floor((E - 1 - i) / N) : undefined)
const changed = items.map((_, i) => item(i, i % 100 === 0 ? FIRST + E + 10 + i : after(i)))
const relisted = listed(changed, FIRST + E + N + 20)

let list = whole
/** @type {(() => void)[]} */
let waiting = []
let released = false
/** @type {Set<http.ServerResponse>} */
const watches = new Set()

/** @param {http.ServerResponse} response @param {readonly Buffer[]} chunks */
async function pump(response, chunks) {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  for (const chunk of chunks) {
    if (response.destroyed) return
    if (!response.write(chunk)) await once(response, 'drain', { signal: gone.signal }).catch(() => {})
  }
}

function reset() {
  list = whole
  waiting = []
  released = false
}

function go() {
  released = true
  for (const release of waiting.splice(0)) release()
}

function relist() {
  list = relisted
  const expired = {
    type: 'ERROR',
    object: { kind: 'Status', status: 'Failure', code: 410, reason: 'Expired', message: 'too old' },
  }
  for (const response of watches) response.end(`${JSON.stringify(expired)}\n`)
}

/** @param {http.ServerResponse} response @param {URLSearchParams} query */
async function watch(response, query) {
  if (query.get('sendInitialEvents') === 'true') return status(response, 422, 'Invalid')
  watches.add(response)
  response.once('close', () => watches.delete(response))
  response.writeHead(200)
  response.flushHeaders()
  if (query.get('resourceVersion') === String(FIRST) && E > 0) {
    if (!released) await new Promise((resolve) => waiting.push(() => resolve(undefined)))
    await pump(response, lines)
  }
  const object = { kind: 'Pod', apiVersion: 'v1', metadata: { resourceVersion: String(FIRST + E + 1) } }
  response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
}

/** @param {http.ServerResponse} response @param {URLSearchParams} query */
async function sendList(response, query) {
  const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0)
  if (limit === 0) await pump(response, list)
  else {
    const from = Number(query.get('continue') ?? 0)
    const to = Math.min(N, from + limit)
    const more = to < N ? `,"continue":"${to}"` : ''
    const head = listHead(FIRST).replace(`"${FIRST}"`, `"${FIRST}"${more}`)
    await pump(response, [Buffer.from(head), Buffer.from(items.slice(from, to).join(',')), Buffer.from(']}\n')])
  }
  response.end()
}

/** @param {http.ServerResponse} response @param {number} code @param {string} reason */
function status(response, code, reason) {
  response.statusCode = code
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason }))
}

const verbs = ['get', 'list', 'watch']
const podResource = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs }
/** @type {Record<string, unknown>} */
const fixed = {
  '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
  '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: [podResource] },
}
const acts = { '/reset': reset, '/go': go, '/relist': relist }

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
  const act = acts[/** @type {keyof typeof acts} */ (pathname)]
  if (act) {
    act()
    return response.end('{}')
  }
  response.setHeader('content-type', 'application/json')
  if (fixed[pathname]) return response.end(JSON.stringify(fixed[pathname]))
  if (pathname !== '/api/v1/pods') return status(response, 404, 'NotFound')
  return searchParams.get('watch') === 'true' ? watch(response, searchParams) : sendList(response, searchParams)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : '')
})
process.once('disconnect', () => process.exit())
