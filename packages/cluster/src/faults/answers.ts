/** Effects on whole answers: what a client gets to see instead of what the cluster said. */
import { ByteStream } from '../http/byte-stream.ts'
import type { FrontAnswer } from '../http/front.ts'
import { bytesAnswer, jsonAnswer } from '../http/message.ts'
import { expired, StatusError } from '../http/status.ts'
import { bytesOf, printJson } from '../json.ts'
import { eventLine } from '../storage/change.ts'
import type { Timetable } from '../timetable.ts'
import type { EffectKind } from './effects.ts'

/** The connection breaks. `code` is what a socket would say. */
export class ConnectionLost extends Error {
  readonly code: 'ECONNRESET' | 'ECONNREFUSED'

  constructor(code: 'ECONNRESET' | 'ECONNREFUSED') {
    super(code === 'ECONNREFUSED' ? 'connect ECONNREFUSED: a fault refused it' : 'read ECONNRESET: a fault cut it')
    this.name = 'ConnectionLost'
    this.code = code
  }
}

const reasons: ReadonlyMap<number, string> = new Map([
  [400, 'BadRequest'],
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [410, 'Expired'],
  [413, 'RequestEntityTooLarge'],
  [415, 'UnsupportedMediaType'],
  [422, 'Invalid'],
  [429, 'TooManyRequests'],
  [500, 'InternalError'],
  [503, 'ServiceUnavailable'],
  [504, 'Timeout'],
])

export function refusal(effect: Extract<EffectKind, { kind: 'respond' }>): FrontAnswer {
  const { code, retryAfter, as = 'status' } = effect
  const message = effect.message ?? `a fault answered ${code}`
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  if (as === 'html')
    return told(bytesAnswer(code, 'text/html', bytesOf(`<html><h1>${code}</h1>${message}</html>`), headers))
  if (as === 'text') return told(bytesAnswer(code, 'text/plain; charset=utf-8', bytesOf(message), headers))
  const details = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }
  const status = new StatusError(code, effect.reason ?? reasons.get(code), message, details)
  return told(jsonAnswer(code, status.status(), headers))
}

export const goneError = () => expired('too old resource version: a fault compacted it')

export const errorLine = (error: StatusError) => eventLine('ERROR', bytesOf(printJson(error.status())))

export const goneAnswer = (): FrontAnswer => told(jsonAnswer(410, goneError().status()))

const told = (answer: Omit<FrontAnswer, 'warnings'>): FrontAnswer => ({ ...answer, warnings: [] })

/** The first bytes of the answer, and then its end or its break. A stream counts bytes over all its chunks. */
export function cutAfter(answer: FrontAnswer, bytes: number, end: 'broken' | 'clean'): FrontAnswer {
  const stream = new ByteStream()
  const finish = () => (end === 'clean' ? stream.end() : stream.end(new ConnectionLost('ECONNRESET')))
  if (!(answer.body instanceof ByteStream)) {
    stream.pushInitial(answer.body.subarray(0, bytes))
    finish()
    return { ...answer, body: stream }
  }
  let left = bytes
  const { body } = answer
  body.through((line, deliver) => {
    if (left <= 0) return
    deliver(line.subarray(0, left))
    left -= line.length
    if (left <= 0) body.end(end === 'clean' ? undefined : new ConnectionLost('ECONNRESET'))
  })
  return answer
}

/** In the middle comes a byte that begins no character, and one that no JSON may hold. */
export function garbled(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const middle = copy.length >> 1
  copy[middle] = 0xff
  if (copy.length > middle + 2) copy[middle + 1] = 0
  return copy
}

export function garble(answer: FrontAnswer): FrontAnswer {
  if (!(answer.body instanceof ByteStream)) return { ...answer, body: garbled(answer.body) }
  answer.body.through((line, deliver) => deliver(garbled(line)))
  return answer
}

/** The whole answer in small pieces; a watch is slow as it is. */
export function slowed(answer: FrontAnswer, bytesPerSecond: number, timetable: Timetable): FrontAnswer {
  if (answer.body instanceof ByteStream) return answer
  const stream = new ByteStream()
  const { body } = answer
  const piece = Math.max(1, Math.ceil(bytesPerSecond / 10))
  let at = 0
  const next = () => {
    stream.pushInitial(body.subarray(at, at + piece))
    at += piece
    if (at >= body.length) stream.end()
    else if (!stream.ended) timetable.after(0.1, next)
  }
  next()
  return { ...answer, body: stream }
}
