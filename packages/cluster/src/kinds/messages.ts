/**
 * How built-in types are read and written by the original: the fields of each, their types, and which empty values are left out.
 * Guarantees: nothing is unpacked before somebody asks.
 */
import { own } from '../json.ts'
import { messages } from './data/messages.ts'
import { lazily } from './generated-data.ts'
import { schemaName } from './shapes.ts'

type Row = readonly [number: number, json: string, type: string, flags?: string]

/**
 * One letter for each type: s string, i integer, b boolean, d double, f float, y bytes, L list of strings, T time, U time with
 * microseconds, D duration, Q quantity, I integer or string, R any JSON, A/B/P the unions of a JSON schema, > another message.
 */
export interface Field {
  readonly number: number
  readonly json: string
  readonly type: string
  /** The message of type '>'. */
  readonly message: string
  readonly list: boolean
  readonly map: boolean
  readonly omitEmpty: boolean
  readonly omitZero: boolean
  readonly pointer: boolean
  /** In JSON its fields stand among those of its parent. */
  readonly inline: boolean
}

export interface Message {
  readonly fields: readonly Field[]
  readonly byNumber: ReadonlyMap<number, Field>
  /** With the fields of inline messages. */
  readonly byName: ReadonlyMap<string, Field>
}

const table = lazily<{ readonly [name: string]: readonly Row[] }>(messages)
const known = new Map<string, Message>()

export function messageNamed(name: string): Message {
  let message = known.get(name)
  if (!message) {
    message = messageOf((own(table(), name) ?? []).map(fieldOf))
    known.set(name, message)
  }
  return message
}

function messageOf(fields: readonly Field[]): Message {
  const byName = new Map<string, Field>()
  for (const field of fields) {
    if (!field.inline) byName.set(field.json, field)
    else for (const [name, inner] of messageNamed(field.message).byName) byName.set(name, inner)
  }
  return { fields, byNumber: new Map(fields.map((field) => [field.number, field])), byName }
}

function fieldOf([number, json, type, flags = '']: Row): Field {
  return {
    number,
    json,
    type: type.startsWith('>') ? '>' : type,
    message: type.slice(1),
    list: flags.includes('r'),
    map: flags.includes('m'),
    omitEmpty: flags.includes('o'),
    omitZero: flags.includes('z'),
    pointer: flags.includes('*'),
    inline: flags.includes('i'),
  }
}

export const metadataMessage = 'k8s.io/apimachinery/pkg/apis/meta/v1.ObjectMeta'

/** The message of a built-in kind: 'io.k8s.api.core.v1.Pod' is 'k8s.io/api/core/v1.Pod'. */
export function messageOfKind(group: string, version: string, kind: string): string | undefined {
  const name = schemaName(group, version, kind)
  if (name === undefined) return undefined
  let message = goNames.get(name)
  if (message === undefined) {
    message = goName(name)
    goNames.set(name, message)
  }
  return message
}

const goNames = new Map<string, string>()

function goName(name: string): string {
  const path = name.replace(/^io\.k8s\./, '').split('.')
  return `k8s.io/${path.slice(0, -1).join('/')}.${path.at(-1)}`
}
