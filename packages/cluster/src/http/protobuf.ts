/**
 * Bodies of Go clients: the envelope "k8s\0", and in it an object of a built-in kind in protobuf.
 * Guarantees: whatever the bytes are, it ends with JSON or with Malformed; nothing is read beyond the body.
 * Does not guarantee: that empty values are left out; a typed reading of the result does that.
 */
import { type Json, type JsonObject, parseJson } from '../json.ts'
import { type Field, type Message, messageNamed, messageOfKind } from '../kinds/messages.ts'

export class Malformed extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Malformed'
  }
}

const magic = [0x6b, 0x38, 0x73, 0x00]
const maxDepth = 200

/** The object with its kind and apiVersion. Throws Malformed. */
export function decodeProtobuf(body: Uint8Array): JsonObject {
  if (!magic.every((byte, i) => body[i] === byte)) throw new Malformed('the body does not begin with "k8s"')
  const envelope = new Reader(body.subarray(magic.length)).all()
  const type = new Reader(bytesAt(envelope, 1)).all()
  const [apiVersion, kind] = [text(bytesAt(type, 1)), text(bytesAt(type, 2))]
  const raw = bytesAt(envelope, 2)
  if (text(bytesAt(envelope, 4)) === 'application/json') return parseJson(text(raw)) as JsonObject
  const name = messageFor(apiVersion, kind)
  if (name === undefined) throw new Malformed(`no kind "${kind}" is registered for version "${apiVersion}"`)
  return { kind, apiVersion, ...readMessage(raw, messageNamed(name), 0) }
}

function messageFor(apiVersion: string, kind: string): string | undefined {
  if (kind === 'DeleteOptions') return 'k8s.io/apimachinery/pkg/apis/meta/v1.DeleteOptions'
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  return messageOfKind(group ?? '', version ?? '', kind)
}

type Wire = bigint | Uint8Array

class Reader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Every field as it comes: its number, and a number or bytes. */
  *fields(): Iterable<readonly [number, Wire]> {
    while (this.#at < this.#bytes.length) {
      const tag = this.#varint()
      yield [Number(tag >> 3n), this.#wire(Number(tag & 7n))]
    }
  }

  /** The last value of each field. */
  all(): ReadonlyMap<number, Wire> {
    return new Map(this.fields())
  }

  #wire(type: number): Wire {
    switch (type) {
      case 0:
        return this.#varint()
      case 1:
        return this.#take(8)
      case 2:
        return this.#take(Number(this.#varint()))
      case 5:
        return this.#take(4)
      default:
        throw new Malformed(`unknown wire type ${type}`)
    }
  }

  #take(length: number): Uint8Array {
    if (!(length >= 0 && this.#at + length <= this.#bytes.length)) throw new Malformed('unexpected EOF')
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  #varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#at < this.#bytes.length ? this.#view.getUint8(this.#at++) : undefined
      if (byte === undefined) throw new Malformed('unexpected EOF')
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return BigInt.asUintN(64, value)
    }
    throw new Malformed('a number is too long')
  }
}

const none = new Uint8Array()
const decoder = new TextDecoder()
const text = (bytes: Uint8Array) => decoder.decode(bytes)

function bytesAt(fields: ReadonlyMap<number, Wire>, number: number): Uint8Array {
  const value = fields.get(number) ?? none
  if (typeof value === 'bigint') throw new Malformed(`field ${number} must hold bytes`)
  return value
}

function numberAt(fields: ReadonlyMap<number, Wire>, number: number): bigint {
  const value = fields.get(number) ?? 0n
  if (typeof value !== 'bigint') throw new Malformed(`field ${number} must hold a number`)
  return BigInt.asIntN(64, value)
}

type Draft = Record<string, Json | undefined>

function readMessage(bytes: Uint8Array, message: Message, depth: number): JsonObject {
  if (depth > maxDepth) throw new Malformed(`nests deeper than ${maxDepth} levels`)
  const result: Draft = {}
  for (const [number, wire] of new Reader(bytes).fields()) {
    const field = message.byNumber.get(number)
    if (field) readField(result, field, wire, depth)
  }
  return result
}

function readField(result: Draft, field: Field, wire: Wire, depth: number): void {
  if (field.inline) Object.assign(result, readMessage(asBytes(wire), messageNamed(field.message), depth + 1))
  else if (field.map) readEntry(result, field, asBytes(wire), depth)
  else if (field.list) {
    const list = (result[field.json] ?? []) as Json[]
    result[field.json] = list
    list.push(...readItems(field, wire, depth))
  } else result[field.json] = readValue(field, wire, depth)
}

/** Numbers of a list may come packed together. */
function readItems(field: Field, wire: Wire, depth: number): Json[] {
  if (field.type !== 'i' || typeof wire === 'bigint') return [readValue(field, wire, depth)]
  const items: Json[] = []
  for (const value of packed(wire)) items.push(readValue(field, value, depth))
  return items
}

function* packed(bytes: Uint8Array): Iterable<bigint> {
  let [value, shift] = [0n, 0n]
  for (const byte of bytes) {
    value |= BigInt(byte & 127) << shift
    shift += 7n
    if (byte >= 128) continue
    yield BigInt.asUintN(64, value)
    value = shift = 0n
  }
}

function readEntry(result: Draft, field: Field, bytes: Uint8Array, depth: number): void {
  const entry = new Reader(bytes).all()
  const key = text(bytesAt(entry, 1))
  if (key === '__proto__') return
  const map = (result[field.json] ?? {}) as Draft
  result[field.json] = map
  map[key] = readValue(field, entry.get(2) ?? (field.type === 'i' || field.type === 'b' ? 0n : none), depth)
}

function asBytes(wire: Wire): Uint8Array {
  if (typeof wire === 'bigint') throw new Malformed('bytes were expected')
  return wire
}

function readValue(field: Field, wire: Wire, depth: number): Json {
  if (typeof wire === 'bigint') {
    if (field.type === 'b') return wire !== 0n
    if (field.type === 'i') return integer(BigInt.asIntN(64, wire))
    throw new Malformed(`${field.json} must hold bytes`)
  }
  switch (field.type) {
    case 's':
      return text(wire)
    case 'y':
      return Buffer.from(wire).toString('base64')
    case 'd':
    case 'f':
      return float(wire)
    case '>':
      return readMessage(wire, messageNamed(field.message), depth + 1)
    case 'i':
    case 'b':
      throw new Malformed(`${field.json} must hold a number`)
    default:
      return special(field.type, wire, depth)
  }
}

const integer = (value: bigint): Json =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value

function float(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length === 8) return view.getFloat64(0, true)
  if (bytes.length === 4) return view.getFloat32(0, true)
  throw new Malformed('a number has the wrong length')
}

const schemaMessage = 'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaProps'

/** Types whose JSON has a form of its own. */
function special(type: string, bytes: Uint8Array, depth: number): Json {
  const fields = new Reader(bytes).all()
  const schema = () => readMessage(bytesAt(fields, type === 'B' ? 2 : 1), messageNamed(schemaMessage), depth + 1)
  switch (type) {
    case 'T':
      return fields.size === 0 ? null : time(numberAt(fields, 1), '')
    case 'U':
      return fields.size === 0 ? null : time(numberAt(fields, 1), micros(numberAt(fields, 2)))
    case 'D':
      return duration(numberAt(fields, 1))
    case 'Q':
      return text(bytesAt(fields, 1)) || '0'
    case 'I':
      return numberAt(fields, 1) === 1n ? text(bytesAt(fields, 3)) : Number(numberAt(fields, 2))
    case 'R':
      return rawJson(bytesAt(fields, 1))
    case 'L':
      return [...new Reader(bytes).fields()].map(([, value]) => text(asBytes(value)))
    case 'B':
      return fields.has(2) ? schema() : numberAt(fields, 1) !== 0n
    default:
      return fields.has(1) ? schema() : several(type, bytes, depth)
  }
}

/** The other half of the unions of a JSON schema: a list of schemas, or of names. */
function several(type: string, bytes: Uint8Array, depth: number): Json {
  const items = [...new Reader(bytes).fields()].filter(([number]) => number === 2).map(([, value]) => asBytes(value))
  return items.map((item) => (type === 'P' ? text(item) : readMessage(item, messageNamed(schemaMessage), depth + 1)))
}

function time(seconds: bigint, fraction: string): string {
  const date = new Date(Number(seconds) * 1000)
  if (Number.isNaN(date.getTime())) throw new Malformed('a time is out of range')
  return date.toISOString().replace(/\.\d+Z$/, `${fraction}Z`)
}

const micros = (nanos: bigint) => `.${String(nanos / 1000n).padStart(6, '0')}`

/** As Go prints it: 1h2m3s. */
function duration(nanos: bigint): string {
  const seconds = Number(nanos) / 1e9
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds % 60}s`
}

function rawJson(bytes: Uint8Array): Json {
  if (bytes.length === 0) return null
  try {
    return parseJson(text(bytes))
  } catch (error) {
    throw new Malformed(`JSON inside of protobuf: ${(error as Error).message}`)
  }
}
