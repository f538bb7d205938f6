/**
 * Answers for Go clients: an object of a built-in kind in protobuf, in the envelope "k8s\0".
 * Guarantees: what protobuf.ts reads back is the same object; a kind without a message gives undefined, never wrong bytes.
 */
import { parseDuration } from '../cel/library/time-text.ts'
import { bytesOf, isObject, type Json, type JsonObject, printJson } from '../json.ts'
import { type Field, type Message, messageNamed, messageOfKind } from '../kinds/messages.ts'

const magic = Uint8Array.from([0x6b, 0x38, 0x73, 0x00])
const metaMessages = 'k8s.io/apimachinery/pkg/apis/meta/v1'

/** Undefined when the kind has no message. */
export function encodeProtobuf(object: JsonObject): Uint8Array | undefined {
  const [apiVersion, kind] = [String(object.apiVersion ?? ''), String(object.kind ?? '')]
  const message = messageFor(apiVersion, kind)
  if (!message) return undefined
  const writer = new Writer()
  writer.bytes(1, new Writer().bytes(1, bytesOf(apiVersion)).bytes(2, bytesOf(kind)).done())
  writer.bytes(2, writeMessage(object, message))
  return Buffer.concat([magic, writer.done()])
}

function messageFor(apiVersion: string, kind: string): Message | undefined {
  if (apiVersion === 'v1' && kind === 'Status') return known(`${metaMessages}.Status`)
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
  const name = messageOfKind(group ?? '', version ?? '', kind)
  return name === undefined ? undefined : known(name)
}

function known(name: string): Message | undefined {
  const message = messageNamed(name)
  return message.fields.length > 0 ? message : undefined
}

/** One event of a watch: its length in four bytes, then type and object. */
export function watchFrame(type: string, object: Uint8Array): Uint8Array {
  const event = new Writer().bytes(1, bytesOf(type)).bytes(2, new Writer().bytes(1, object).done()).done()
  const frame = Buffer.alloc(4 + event.length)
  frame.writeUInt32BE(event.length, 0)
  frame.set(event, 4)
  return frame
}

export class Writer {
  readonly #chunks: Uint8Array[] = []

  varint(number: number, value: bigint): this {
    this.#chunks.push(varint(BigInt(number << 3)), varint(BigInt.asUintN(64, value)))
    return this
  }

  bytes(number: number, value: Uint8Array): this {
    this.#chunks.push(varint(BigInt((number << 3) | 2)), varint(BigInt(value.length)), value)
    return this
  }

  fixed(number: number, value: number, size: 4 | 8): this {
    const buffer = Buffer.alloc(size)
    if (size === 8) buffer.writeDoubleLE(value)
    else buffer.writeFloatLE(value)
    this.#chunks.push(varint(BigInt((number << 3) | (size === 8 ? 1 : 5))), buffer)
    return this
  }

  done(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

function writeMessage(object: JsonObject, message: Message): Uint8Array {
  const writer = new Writer()
  for (const field of message.fields) {
    if (field.inline) {
      const inner = writeMessage(object, messageNamed(field.message))
      if (inner.length > 0) writer.bytes(field.number, inner)
      continue
    }
    const value = Object.hasOwn(object, field.json) ? object[field.json] : undefined
    if (value !== undefined && value !== null) writeField(writer, field, value)
  }
  return writer.done()
}

function writeField(writer: Writer, field: Field, value: Json): void {
  if (field.map) {
    for (const [key, item] of Object.entries(isObject(value) ? value : {})) {
      const entry = new Writer().bytes(1, bytesOf(key))
      if (item !== undefined && item !== null) writeValue(entry, field, item, 2)
      writer.bytes(field.number, entry.done())
    }
  } else if (field.list) {
    for (const item of Array.isArray(value) ? (value as readonly Json[]) : [])
      writeValue(writer, field, item, field.number)
  } else writeValue(writer, field, value, field.number)
}

function writeValue(writer: Writer, field: Field, value: Json, number: number): void {
  switch (field.type) {
    case 'i':
      return void writer.varint(number, integer(value))
    case 'b':
      return void writer.varint(number, value === true ? 1n : 0n)
    case 'd':
      return void writer.fixed(number, Number(value), 8)
    case 'f':
      return void writer.fixed(number, Number(value), 4)
    case 's':
      return void writer.bytes(number, bytesOf(String(value)))
    case 'y':
      return void writer.bytes(number, Buffer.from(String(value), 'base64'))
    case '>':
      return void writer.bytes(number, writeMessage(isObject(value) ? value : {}, messageNamed(field.message)))
    default:
      return void writer.bytes(number, special(field.type, value))
  }
}

const integer = (value: Json) => BigInt(typeof value === 'bigint' ? value : Math.trunc(Number(value)))

const schemaMessage = 'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaProps'
const schemaOf = (value: Json) => writeMessage(isObject(value) ? value : {}, messageNamed(schemaMessage))

/** Types whose JSON has a form of its own. */
function special(type: string, value: Json): Uint8Array {
  const writer = new Writer()
  switch (type) {
    case 'T':
    case 'U':
      return time(String(value))
    case 'D':
      return writer.varint(1, parseDuration(String(value))?.nanos ?? 0n).done()
    case 'Q':
      return writer.bytes(1, bytesOf(String(value))).done()
    case 'I':
      return typeof value === 'string'
        ? writer.varint(1, 1n).bytes(3, bytesOf(value)).done()
        : writer.varint(1, 0n).varint(2, integer(value)).done()
    case 'R':
      return writer.bytes(1, bytesOf(printJson(value))).done()
    case 'B':
      return isObject(value)
        ? writer.varint(1, 1n).bytes(2, schemaOf(value)).done()
        : writer.varint(1, value ? 1n : 0n).done()
    default:
      return several(type, value)
  }
}

function several(type: string, value: Json): Uint8Array {
  const writer = new Writer()
  if (!Array.isArray(value)) return writer.bytes(1, schemaOf(value)).done()
  for (const item of value as readonly Json[]) {
    writer.bytes(type === 'L' ? 1 : 2, type === 'A' ? schemaOf(item) : bytesOf(String(item)))
  }
  return writer.done()
}

function time(text: string): Uint8Array {
  const milliseconds = Date.parse(text)
  const fraction = /\.(\d+)Z?/.exec(text)?.[1] ?? ''
  const writer = new Writer().varint(1, BigInt(Math.floor(milliseconds / 1000)))
  return writer.varint(2, BigInt(fraction.padEnd(9, '0').slice(0, 9) || 0)).done()
}
