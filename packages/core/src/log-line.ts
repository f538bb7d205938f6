import { APIError } from './api-error.ts'
import { BinnacleError, explain, messageOf } from './errors.ts'
import { isPlainObject } from './hostile.ts'
import type { Logger, LogLevel } from './logger.ts'

/**
 * How a log entry becomes a line.
 * Guarantees: never throws, whatever the fields hold; in JSON one entry is one line; in text every line after the first is indented
 * and control characters are escaped, so that data from a cluster can neither forge an entry nor steer a terminal.
 */

export type LogFormat = 'text' | 'plain' | 'json'

export interface LogEntry {
  readonly time: Date
  readonly level: Exclude<LogLevel, 'silent'>
  readonly message: string
  /** `object` is the reference to the object that the entry is about; an Error in any field is shown with what it teaches. */
  readonly fields: object
}

export interface LogLineOptions {
  /** Begin the message with `[namespace/name]` of the object. @default true in text, false in JSON */
  readonly prefix?: boolean
  /** The field of JSON lines that holds the reference to the object. @default 'object' */
  readonly refkey?: string
  /** Colour the text for a terminal. @default false */
  readonly color?: boolean
  /** Show the stack of every error, not only of those that are none of ours. @default only in entries of level debug */
  readonly stacks?: boolean
}

export interface LoggerOptions extends LogLineOptions {
  /** The least that is written. At `debug` every error comes with its stack. @default 'info' */
  readonly level?: LogLevel
  /** `text`: time, level, message, fields; `plain`: without time and level; `json`: an object per line. */
  readonly format: LogFormat
  /** Takes a finished entry, without the newline at its end. */
  readonly write: (line: string) => void
  readonly now: () => Date
}

const RANK = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const
const COLORS = { debug: 90, info: 36, warn: 33, error: 31 } as const
const DIM = 90
/** What a line of JSON says by itself; a field of the same name gets an underscore behind it. */
const OWN_NAMES = ['timestamp', 'severity', 'message']

/** A logger that writes lines. Fields of a child come after those of its parent and replace those of the same name. */
export function createLogger(options: LoggerOptions): Logger {
  return new LineLogger({ ...options, stacks: options.stacks ?? options.level === 'debug' }, {})
}

/**
 * There is a child for each call of a handler, and most of what it is told is never shown: it has nothing of its own but its fields. Its methods are made
 * when they are asked for, so that they work without it.
 */
class LineLogger implements Logger {
  readonly #options: LoggerOptions
  readonly #fields: object

  constructor(options: LoggerOptions, fields: object) {
    this.#options = options
    this.#fields = fields
  }

  get debug() {
    return this.#at('debug')
  }

  get info() {
    return this.#at('info')
  }

  get warn() {
    return this.#at('warn')
  }

  get error() {
    return this.#at('error')
  }

  get child() {
    return (fields: object): Logger => new LineLogger(this.#options, { ...this.#fields, ...fields })
  }

  isLevelEnabled(level: LogEntry['level']): boolean {
    return RANK[level] >= RANK[this.#options.level ?? 'info']
  }

  #at(level: LogEntry['level']) {
    return (said: string | Error, fields?: object) => this.#log(level, said, fields)
  }

  #log(level: LogEntry['level'], said: string | Error, given: object | undefined): void {
    if (!this.isLevelEnabled(level)) return
    const { format, write, now } = this.#options
    const fields = { ...this.#fields, ...given, ...(typeof said !== 'string' && { error: said }) }
    const message = typeof said === 'string' ? said : messageOf(said)
    write(formatLogLine({ time: now(), level, message, fields }, format, this.#options))
  }
}

/** The text of one entry, without a newline at its end. */
export function formatLogLine(entry: LogEntry, format: LogFormat, options: LogLineOptions = {}): string {
  const { object, ...rest } = entry.fields as { readonly object?: unknown }
  const reference = isReference(object) ? object : undefined
  const fields = Object.entries(reference || object === undefined ? rest : entry.fields).filter(
    ([, value]) => value !== undefined,
  )
  const prefix = reference && (options.prefix ?? format !== 'json') ? `[${nameOf(reference)}] ` : ''
  const line: Line = { ...entry, prefix, reference, entries: fields, stacks: options.stacks ?? entry.level === 'debug' }
  return format === 'json' ? jsonLine(line, options.refkey ?? 'object') : textLine(line, format, options.color ?? false)
}

interface Reference {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly namespace?: unknown
  readonly name: string
  readonly uid?: unknown
}

interface Line extends LogEntry {
  readonly prefix: string
  readonly reference: Reference | undefined
  readonly entries: readonly (readonly [string, unknown])[]
  readonly stacks: boolean
}

function isReference(value: unknown): value is Reference {
  return isPlainObject(value) && typeof value['name'] === 'string'
}

function nameOf({ namespace, name }: Reference): string {
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${name}` : name
}

function jsonLine(line: Line, refkey: string): string {
  const { reference } = line
  const own: [string, unknown][] = [
    ['timestamp', Number.isNaN(line.time.getTime()) ? null : line.time.toISOString()],
    ['severity', line.level],
    ['message', line.prefix + line.message],
  ]
  if (reference) own.push([refkey, pick(reference)])
  const taken = reference ? [...OWN_NAMES, refkey] : OWN_NAMES
  const others = line.entries.map(([key, value]) => [taken.includes(key) ? `${key}_` : key, value] as const)
  return `{${[...own, ...others].map(([key, value]) => `${JSON.stringify(key)}:${json(value, line.stacks)}`).join(',')}}`
}

function pick({ apiVersion, kind, namespace, name, uid }: Reference): Reference {
  return { apiVersion, kind, namespace, name, uid }
}

/** JSON of whatever it is: errors become objects, and what JSON cannot hold becomes a text. */
function json(value: unknown, stacks: boolean): string {
  try {
    const text = JSON.stringify(value, (_, member: unknown) => {
      if (member instanceof Error) return errorFields(member, stacks)
      return typeof member === 'bigint' ? String(member) : member
    })
    return text ?? JSON.stringify(String(value))
  } catch (error) {
    return JSON.stringify(`cannot be shown: ${firstLine(messageOf(error))}`)
  }
}

function errorFields(error: Error, stacks: boolean): object {
  const { code, hint, fix } = error as Partial<BinnacleError>
  const stack = showsStack(error, stacks) ? error.stack : undefined
  return { name: error.name, message: error.message, code, hint, fix, stack, cause: error.cause }
}

/** Ours say by themselves what is wrong; of the others only the stack tells where they come from. */
function showsStack(error: Error, stacks: boolean): boolean {
  return stacks || !(error instanceof BinnacleError || error instanceof APIError)
}

function textLine(line: Line, format: 'text' | 'plain', color: boolean): string {
  const paint = (code: number, text: string) => (color && text !== '' ? `\u001b[${code}m${text}\u001b[39m` : text)
  const safe = (text: string) => printable(text).replaceAll('\n', '\n  ')
  const level = paint(COLORS[line.level], line.level.toUpperCase().padEnd(5))
  const begin = format === 'text' ? `${paint(DIM, timeOf(line.time))} ${level} ` : ''
  const words = line.entries.map(([key, value]) => word(key, value, line)).filter((text) => text !== '')
  const end = words.length === 0 ? '' : ` ${paint(DIM, safe(words.join(' ')))}`
  const errors = line.entries.map(([, value]) => value).filter((value) => value instanceof Error)
  const below = errors.map((error) => details(error, line.stacks)).filter((text) => text !== '')
  const rest = below.map((text) => paint(DIM, safe(`\n${text}`)))
  return begin + paint(DIM, safe(line.prefix)) + safe(line.message) + end + rest.join('')
}

/** `key=value`; nothing for an error whose message the line says already. */
function word(key: string, value: unknown, line: Line): string {
  const shown = value instanceof Error ? firstLine(value.message) : value
  if (value instanceof Error && line.message.includes(value.message)) return ''
  const bare = typeof shown === 'string' && /^[^\s"=]+$/.test(shown)
  return `${key}=${bare ? shown : json(shown, line.stacks)}`
}

/** What stands below the line: hint and fix, the stack, and the same of the cause. */
function details(error: Error, stacks: boolean, depth = 0): string {
  const advice = explain(error).slice(messageOf(error).length).trimStart()
  const stack = showsStack(error, stacks) ? (error.stack ?? String(error)) : ''
  const { cause } = error
  const parts = [advice, stack]
  // A cause may be its own cause.
  if (cause instanceof Error && depth < 5) {
    parts.push(
      showsStack(cause, stacks) ? 'caused by:' : `caused by: ${cause.message}`,
      details(cause, stacks, depth + 1),
    )
  }
  return parts.filter((part) => part !== '').join('\n')
}

function timeOf(time: Date): string {
  return Number.isNaN(time.getTime()) ? String(time) : time.toISOString()
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

/** Control characters, except for line ends and tabs, in the way in which JSON writes them. */
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
