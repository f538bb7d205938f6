import {
  isPlainObject,
  type KubeObject,
  NetworkError,
  type PlainObject,
  type Runtime,
  seconds,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import { statusFrom } from './api-error.ts'
import type { ManagedFields } from './decode.ts'
import { decodeObject, IN_EVENT } from './decode.ts'
import type { Call, Exchange } from './exchange.ts'
import { LineSplitter } from './lines.ts'
import { metadataOf, withKind } from './list.ts'
import type { ResourceAddress } from './request.ts'

/**
 * A watch as a stream of events.
 * Guarantees: ends when the server ends it, or throws: on a refusal at the opening the typed error, on a lost connection, a damaged line
 * or silence a NetworkError, on an abort the signal's reason. It never hangs. Events come in the order of the server; an ERROR event is
 * an event like the others. Who does not read does not receive: the socket waits.
 * Does not guarantee: that it goes on for ever, nor that it is opened again. That is for an informer.
 */
export interface Watching {
  readonly exchange: Exchange
  readonly resource: ResourceAddress
  readonly managedFields: ManagedFields
  readonly metadataOnly: boolean
  readonly call: Call
  /** Seconds, as the server was asked for. */
  readonly serverTimeout: number
}

/** A server that has not ended the stream so much later than it was asked to is gone. */
const GRACE = 30
/** The event loop has its turn after so many, since a busy watch would otherwise keep it. */
export const EVENTS_PER_TURN = 50
const TYPES: ReadonlySet<unknown> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'])

/** Seconds after which the server shall end a watch: spread, so that not all watches of a client are opened again at once. */
export function serverTimeoutOf(options: WatchOptions, { random }: Runtime): number {
  return options.serverTimeout === undefined ? 300 * (1 + random()) : seconds(options.serverTimeout)
}

/** By batches, as they arrive together. What is wrong with one is thrown when it is reached. */
export async function* watchEvents<T extends KubeObject>(
  watching: Watching,
  options: WatchOptions,
): AsyncGenerator<Iterable<WatchEvent<T>>> {
  const { exchange, call } = watching
  const deadline = exchange.deadline(call, options)
  const silence =
    options.inactivityTimeout === undefined ? watching.serverTimeout + GRACE : seconds(options.inactivityTimeout)
  try {
    const { body } = await exchange.open(call, { signal: deadline.signal, silence })
    const splitter = new LineSplitter()
    for await (const chunk of body) yield eventsIn<T>(watching, splitter.push(chunk))
    yield eventsIn<T>(watching, splitter.end())
  } finally {
    deadline[Symbol.dispose]()
  }
}

function* eventsIn<T extends KubeObject>(watching: Watching, lines: Iterable<Uint8Array>): Generator<WatchEvent<T>> {
  for (const line of lines) {
    const event = eventOf<T>(watching, line)
    if (event) yield event
  }
}

function eventOf<T extends KubeObject>(watching: Watching, line: Uint8Array): WatchEvent<T> | undefined {
  const event = parsed(line, watching.managedFields)
  if (event.type === 'ERROR') {
    const object = isPlainObject(event.object) ? event.object : {}
    return { type: 'ERROR', object: statusFrom(object, typeof object.code === 'number' ? object.code : 500) }
  }
  if (TYPES.has(event.type) && isPlainObject(event.object)) {
    const complete = watching.metadataOnly ? metadataOf : withKind
    return { type: event.type, object: complete(event.object, watching.resource) } as WatchEvent<T>
  }
  watching.exchange.runtime.logger.warn('A watch brought an event of an unknown sort', { type: String(event.type) })
  return undefined
}

function parsed(line: Uint8Array, managedFields: ManagedFields): PlainObject {
  try {
    const event = decodeObject(line, managedFields, IN_EVENT)
    if (isPlainObject(event)) return event
  } catch (error) {
    throw damaged(error)
  }
  // A carriage return or blanks between two lines.
  if (Buffer.from(line).toString().trim() === '') return { type: 'BLANK' }
  throw damaged()
}

function damaged(cause?: unknown): NetworkError {
  return new NetworkError({
    message: 'The watch that the server sent is damaged: a line is not a JSON object',
    hint: 'The connection may have been cut in the middle of a line, or a proxy has changed the answer.',
    mayHaveCommitted: false,
    cause,
  })
}
