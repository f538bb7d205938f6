/**
 * One record of the data file: a line with the checksum of its text, and the text, which is JSON.
 * Guarantees: a line that was written whole is read back as it was; a line of which any byte is missing or changed is not taken.
 */
import { crc32 } from 'node:zlib'
import { isObject, type Json, type JsonObject, parseJson, printJson } from '../json.ts'

const newline = 0x0a
const checksumLength = 8

export function encodeLine(record: JsonObject): Uint8Array {
  const text = Buffer.from(printJson(record))
  return Buffer.concat([Buffer.from(`${checksum(text)} `), text, Buffer.from('\n')])
}

const checksum = (text: Uint8Array) => crc32(text).toString(16).padStart(checksumLength, '0')

export interface Line {
  /** Undefined when it is damaged. */
  readonly record: JsonObject | undefined
  readonly from: number
  /** After its newline; of an unfinished line the end of the bytes. */
  readonly to: number
  readonly finished: boolean
}

export function* linesOf(bytes: Buffer): Generator<Line> {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(newline, from)
    const finished = end !== -1
    const to = finished ? end + 1 : bytes.length
    yield { record: finished ? recordIn(bytes.subarray(from, end)) : undefined, from, to, finished }
    from = to
  }
}

function recordIn(line: Buffer): JsonObject | undefined {
  const text = line.subarray(checksumLength + 1)
  if (line.subarray(0, checksumLength + 1).toString('latin1') !== `${checksum(text)} `) return undefined
  const value = parsed(text.toString())
  return isObject(value) ? value : undefined
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
