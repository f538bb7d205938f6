/**
 * How much memory the embedded cluster takes when somebody sends too much, lists too much, or watches too much; each in a process of its own.
 * Closes with "N passed, N failed" alone on the last line.
 *
 *     npm run limits                 all of them; a million objects take some minutes
 *     npm run limits -- bodies       the one of this name
 *
 * Guarantees: the limits are those that docs/cluster-support.md states; a scenario that goes beyond its own, or fails, fails.
 */
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAPS = '/api/v1/namespaces/default/configmaps'
const BODIES = 50
const WATCHERS = 5000
const ITEMS = 1_000_000
const MIB = 1024 * 1024

/** @typedef {{ readonly url: string, tell(command: string): Promise<any>, end(): Promise<void> }} Server */

/** @param {number} heapMegabytes @returns {Promise<Server>} */
async function startServer(heapMegabytes) {
  const file = fileURLToPath(new URL('server.mjs', import.meta.url))
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = new Promise((done) => child.once('close', done))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const answer = async () => {
    const { value, done } = await lines.next()
    if (done) throw new Error('The server died; it may have run out of memory.')
    return JSON.parse(value)
  }
  const { url } = await answer()
  return {
    url,
    tell: (command) => {
      child.stdin.write(`${command}\n`)
      return answer()
    },
    end: async () => {
      child.stdin.end('end\n')
      await closed
    },
  }
}

/** @param {string} url @param {string} path @param {string} method @param {string} type @param {Buffer} body @returns {Promise<number>} */
function send(url, path, method, type, body) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': type, 'content-length': body.length }
    const call = request(`${url}${path}`, { method, headers, agent: false }, (answer) => {
      answer.resume()
      answer.once('end', () => resolve(answer.statusCode ?? 0))
    })
    // A server may close before it has read a body that it refuses.
    call.once('error', (error) => (/EPIPE|ECONNRESET/.test(String(error)) ? resolve(413) : reject(error)))
    call.end(body)
  })
}

/** @param {unknown} found @param {unknown} wanted @param {string} what */
function demand(found, wanted, what) {
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`)
  }
}

/** Fifty bodies of more than three mebibytes at once, and one that is just small enough to be read. @param {Server} server */
async function bodies({ url }) {
  const map = (/** @type {number} */ size) =>
    Buffer.from(JSON.stringify({ metadata: { name: 'a' }, data: { k: 'x'.repeat(size) } }))
  const huge = map(3 * MIB + 1)
  const codes = await Promise.all(
    Array.from({ length: BODIES }, () => send(url, MAPS, 'POST', 'application/json', huge)),
  )
  demand([...new Set(codes)], [413], 'bodies above the limit')
  demand(await send(url, MAPS, 'POST', 'application/json', map(3 * MIB - 200)), 422, 'a body below the limit')
}

/** A million items in the list of one body, in every way to send them. @param {Server} server */
async function items({ url }) {
  const list = `[${'0,'.repeat(ITEMS - 1)}0]`
  const owner = Buffer.from(`{"metadata":{"name":"a","ownerReferences":${list}}}`)
  demand(await send(url, MAPS, 'POST', 'application/json', owner), 400, 'a body with a million owners')
  demand(
    await send(url, MAPS, 'POST', 'application/json', Buffer.from('{"metadata":{"name":"a"}}')),
    201,
    'a small one',
  )
  const patches = [
    ['application/json-patch+json', list, 400],
    ['application/merge-patch+json', `{"data":{"k":${list}}}`, 422],
    ['application/strategic-merge-patch+json', `{"metadata":{"finalizers":${list}}}`, 422],
    [
      'application/apply-patch+yaml',
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":${list}}}`,
      0,
    ],
  ]
  for (const [type, text, wanted] of patches) {
    const code = await send(url, `${MAPS}/a?fieldManager=x`, 'PATCH', String(type), Buffer.from(String(text)))
    if (wanted === 0 ? code < 400 : code !== wanted)
      throw new Error(`${type} with a million items was answered with ${code}`)
  }
}

/** A million objects, listed as a whole and in pages. @param {Server} server */
async function objects({ tell }) {
  await tell(`make ${ITEMS}`)
  const { items: found, wholeMegabytes } = await tell('list')
  demand(found, ITEMS, 'objects in pages')
  console.log(`  the whole list has ${wholeMegabytes} MB`)
}

/** Five thousand watches over as many sockets, each of which hears of a change. @param {Server} server */
async function watchers({ url }) {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: WATCHERS }, () => connect(Number(port), hostname))
  const heard = sockets.map(
    (socket) =>
      new Promise((resolve, reject) => {
        let text = ''
        socket.once('error', reject)
        socket.on('data', (chunk) => {
          text += chunk
          if (text.includes('"ADDED"')) resolve(undefined)
        })
        socket.write(`GET ${MAPS}?watch=1 HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
      }),
  )
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('data', resolve))))
  demand(await send(url, MAPS, 'POST', 'application/json', Buffer.from('{"metadata":{"name":"a"}}')), 201, 'the change')
  await Promise.all(heard)
  for (const socket of sockets) socket.destroy()
}

/** What each may take, in megabytes of resident memory. */
const scenarios = [
  { name: 'bodies', run: bodies, megabytes: 500, what: `${BODIES} bodies above 3 MiB at once` },
  { name: 'items', run: items, megabytes: 700, what: 'a million items in one body' },
  { name: 'watchers', run: watchers, megabytes: 400, what: `${WATCHERS} watchers` },
  { name: 'objects', run: objects, megabytes: 5000, what: 'a million objects in a list' },
]

/** @param {typeof scenarios[number]} scenario @returns {Promise<boolean>} */
async function holds({ run, megabytes, what }) {
  const server = await startServer(megabytes)
  try {
    await run(server)
    const { peakMegabytes } = await server.tell('look')
    const ok = peakMegabytes <= megabytes
    console.log(`${ok ? 'passed' : 'FAILED'}  ${what}: ${peakMegabytes} MB of ${megabytes} MB`)
    return ok
  } catch (error) {
    console.log(`FAILED  ${what}: ${error instanceof Error ? error.message : String(error)}`)
    return false
  } finally {
    await server.end()
  }
}

const wanted = process.argv.slice(2)
const counts = { passed: 0, failed: 0 }
for (const scenario of scenarios) {
  if (wanted.length > 0 && !wanted.includes(scenario.name)) continue
  counts[(await holds(scenario)) ? 'passed' : 'failed'] += 1
}
if (counts.passed + counts.failed === 0) counts.failed = 1
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exitCode = counts.failed === 0 ? 0 : 1
