/**
 * The floor: what Node's built-ins alone can do. A scanner of items, JSON.parse for each with managedFields cut out, a Map; no indices, no
 * handlers, no errors.
 *
 *     node --expose-gc floor.mjs <url> [events]
 */
import { isAscii } from 'node:buffer'
import http from 'node:http'
import { memory, peakRssMB, print, watchLoop } from '../figures.mjs'

const [url = '', asked = '100000'] = process.argv.slice(2)
const events = Number(asked)
const KEY = Buffer.from('"managedFields":[')
const [QUOTE, BACKSLASH, OPEN, CLOSE, LIST, END] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d]
const agent = new http.Agent({ keepAlive: true, highWaterMark: 262144 })

/** @param {string} path @returns {Promise<http.IncomingMessage>} */
const get = (path) => new Promise((resolve, reject) => http.get(url + path, { agent }, resolve).on('error', reject))

/** The place behind the list that begins at `i`. @param {Buffer} bytes @param {number} i */
function endOfList(bytes, i) {
  for (let depth = 1; depth > 0; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i++
      while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
    } else if (byte === LIST || byte === OPEN) depth++
    else if (byte === END || byte === CLOSE) depth--
  }
  return i
}

/** @param {Buffer} bytes */
function parse(bytes) {
  const ascii = isAscii(bytes)
  /** @param {number} from @param {number} to */
  const text = (from, to) => (ascii ? bytes.latin1Slice(from, to) : bytes.utf8Slice(from, to))
  const at = bytes.indexOf(KEY)
  if (at < 0) return JSON.parse(text(0, bytes.length))
  const end = endOfList(bytes, at + KEY.length)
  const from = bytes[at - 1] === 0x2c ? at - 1 : at
  const to = from === at && bytes[end] === 0x2c ? end + 1 : end
  return JSON.parse(text(0, from) + text(to, bytes.length))
}

const cache = new Map()
/** @param {any} object */
const put = (object) => cache.set(`${object.metadata.namespace}/${object.metadata.name}`, object)

/** Where the items of a list begin and end, across chunks. */
class Scanner {
  #head = ''
  #inItems = false
  #depth = 0
  #inString = false
  #escaped = false
  /** @type {Buffer[]} */
  #pending = []

  /** @param {Buffer} chunk */
  push(chunk) {
    let i = this.#inItems ? 0 : this.#skipHead(chunk)
    if (i < 0) return
    let start = this.#depth > 0 ? 0 : -1
    const n = chunk.length
    if (this.#inString) i = this.#restOfString(chunk, i)
    for (; i < n; i++) {
      const byte = chunk[i]
      if (byte === QUOTE) i = this.#string(chunk, i + 1)
      else if (byte === OPEN) {
        if (this.#depth++ === 0) start = i
      } else if (byte === CLOSE) {
        if (--this.#depth === 0) {
          this.#pending.push(chunk.subarray(start, i + 1))
          put(
            parse(this.#pending.length === 1 ? /** @type {Buffer} */ (this.#pending[0]) : Buffer.concat(this.#pending)),
          )
          this.#pending = []
          start = -1
        }
      } else if (this.#depth > 0 && byte === LIST) this.#depth++
      else if (this.#depth > 0 && byte === END) this.#depth--
    }
    if (this.#depth > 0 && start >= 0) this.#pending.push(chunk.subarray(start))
  }

  /** @param {Buffer} chunk */
  #skipHead(chunk) {
    this.#head += chunk.latin1Slice(0, chunk.length)
    const at = this.#head.indexOf('"items":[')
    if (at < 0) return -1
    this.#inItems = true
    return chunk.length - (this.#head.length - at - 9)
  }

  /** @param {Buffer} chunk @param {number} j */
  #string(chunk, j) {
    for (const n = chunk.length; ; ) {
      if (j >= n) {
        this.#inString = true
        this.#escaped = j > n
        return j
      }
      const byte = chunk[j]
      if (byte === QUOTE) return j
      j += byte === BACKSLASH ? 2 : 1
    }
  }

  /** @param {Buffer} chunk @param {number} i */
  #restOfString(chunk, i) {
    while (i < chunk.length) {
      const byte = chunk[i++]
      if (this.#escaped) this.#escaped = false
      else if (byte === BACKSLASH) this.#escaped = true
      else if (byte === QUOTE) {
        this.#inString = false
        break
      }
    }
    return i
  }
}

async function list() {
  const scanner = new Scanner()
  for await (const chunk of await get('/api/v1/pods?resourceVersion=0')) scanner.push(chunk)
}

async function watch() {
  const response = await get('/api/v1/pods?watch=true&resourceVersion=9000000')
  await fetch(`${url}/go`)
  /** @type {Buffer[]} */
  let pending = []
  let seen = 0
  let first = 0
  for await (const chunk of response) {
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      pending.push(chunk.subarray(from, end))
      const event = parse(pending.length === 1 ? /** @type {Buffer} */ (pending[0]) : Buffer.concat(pending))
      pending = []
      from = end + 1
      if (event.type !== 'MODIFIED') continue
      if (seen++ === 0) first = performance.now()
      put(event.object)
      if (seen >= events) return performance.now() - first
    }
    if (from < chunk.length) pending.push(chunk.subarray(from))
  }
  return performance.now() - first
}

const base = memory()
const loop = watchLoop()
loop.take()
const cpu = process.cpuUsage()
const begun = performance.now()
await list()
const syncMs = performance.now() - begun
const cpuSyncMs = process.cpuUsage(cpu).user / 1000
const { blocked: loopBlockedMsInSync } = loop.take()
const peakSyncRssMB = peakRssMB()
const synced = memory()
// Node loads its own fetch when it is first used.
await fetch(`${url}/version`)
loop.take()
const watchMs = events > 0 ? await watch() : 0
print({
  objects: cache.size,
  syncMs: Math.round(syncMs),
  cpuSyncMs: Math.round(cpuSyncMs),
  loopBlockedMsInSync,
  syncedRssMB: synced.rssMB,
  heapKBperPod: Math.round(((synced.heapMB - base.heapMB) * 1024 * 100) / cache.size) / 100,
  peakSyncRssMB,
  eventsPerSec: watchMs > 0 ? Math.round((events - 1) / (watchMs / 1000)) : 0,
  loopBlockedMsInWatch: loop.take().blocked,
  peakRssMB: peakRssMB(),
})
process.exit(0)
