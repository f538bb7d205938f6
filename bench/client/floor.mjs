/** The floor of a list: nothing is checked and nothing is promised. */
import { isAscii } from 'node:buffer'

const KEY = Buffer.from('"managedFields":[')
const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN, CLOSE] = [0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d]

/** @param {AsyncIterable<Buffer>} body */
export async function* floorItems(body) {
  let head = ''
  let inItems = false
  let depth = 0
  let inString = false
  let escaped = false
  /** @type {Buffer[]} */
  let pending = []
  for await (const chunk of body) {
    const { length } = chunk
    let i = 0
    let start = depth > 0 ? 0 : -1
    if (!inItems) {
      head += chunk.latin1Slice(0, length)
      const at = head.indexOf('"items":[')
      if (at < 0) continue
      i = length - (head.length - at - 9)
      inItems = true
    }
    if (inString) {
      while (i < length) {
        const byte = chunk[i++]
        if (escaped) escaped = false
        else if (byte === BACKSLASH) escaped = true
        else if (byte === QUOTE) {
          inString = false
          break
        }
      }
    }
    for (; i < length; i++) {
      const byte = chunk[i]
      if (byte === QUOTE) {
        let j = i + 1
        while (j < length && chunk[j] !== QUOTE) j += chunk[j] === BACKSLASH ? 2 : 1
        if (j >= length) {
          inString = true
          escaped = j > length
        }
        i = j
      } else if (byte === OPEN) {
        if (depth++ === 0) start = i
      } else if (byte === CLOSE) {
        if (--depth === 0) {
          pending.push(chunk.subarray(start, i + 1))
          yield parse(pending.length === 1 && pending[0] ? pending[0] : Buffer.concat(pending))
          pending = []
          start = -1
        }
      } else if (byte === OPEN_LIST && depth > 0) depth++
      else if (byte === CLOSE_LIST && depth > 0) depth--
    }
    if (depth > 0 && start >= 0) pending.push(chunk.subarray(start))
  }
}

/** @param {Buffer} bytes */
function parse(bytes) {
  const ascii = isAscii(bytes)
  const text = (/** @type {number} */ from, /** @type {number} */ to) =>
    ascii ? bytes.latin1Slice(from, to) : bytes.utf8Slice(from, to)
  const at = bytes.indexOf(KEY)
  if (at < 0) return JSON.parse(text(0, bytes.length))
  let i = at + KEY.length
  for (let depth = 1; depth > 0; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) {
      i++
      while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
    } else if (byte === OPEN_LIST || byte === OPEN) depth++
    else if (byte === CLOSE_LIST || byte === CLOSE) depth--
  }
  const from = bytes[at - 1] === COMMA ? at - 1 : at
  return JSON.parse(text(0, from) + text(from === at && bytes[i] === COMMA ? i + 1 : i, bytes.length))
}
