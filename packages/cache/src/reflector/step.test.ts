import { apiError, LoginError, NetworkError } from '@binnacle/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FailureKind, failureOf } from './failure.ts'
import { type Input, initialState, type Lifetime, type Span, type State, step } from './step.ts'

const CALM = 120
const failure = (kind: FailureKind, lived: Lifetime = 'not', version?: string, lasted = 0): Input => ({
  got: 'failure',
  failure: { kind, error: new Error(kind), retryAfter: 0 },
  lived,
  lasted,
  version,
})
const watching = (from = '10', canStream = true): State =>
  step(initialState(canStream), { got: 'list', version: from }, 0, CALM).state

describe('a reflector that lists', () => {
  it('watches from the version of the list', () => {
    expect(watching('10')).toMatchObject({ at: 'watch', from: '10' })
  })

  it('asks for whatever is most recent, at once, when the server does not know its version', () => {
    for (const kind of ['expired', 'too-large'] as const) {
      const first = step(initialState(false), failure(kind), 0, CALM)
      expect(first).toMatchObject({ state: { at: 'list', mostRecent: true } })
      expect(first.wait).toBeUndefined()
      expect(step(first.state, failure(kind), 0, CALM).wait).toEqual({
        attempt: 0,
        atLeast: 0,
        atMost: Number.POSITIVE_INFINITY,
      })
    }
  })

  it('waits longer after each failure, and begins anew after a calm time', () => {
    let state = initialState(false)
    const attempts: (number | undefined)[] = []
    for (const now of [0, 1, 3, 200]) {
      const decision = step(state, failure('refused'), now, CALM)
      attempts.push(decision.wait?.attempt)
      state = decision.state
    }
    expect(attempts).toEqual([0, 1, 2, 0])
  })

  it('takes pages for now when a stream is refused, and for good when the server does not know streams', () => {
    for (const [kind, canStream] of [
      ['broken', true],
      ['refused', true],
      ['unsupported', false],
    ] as const) {
      const decision = step(initialState(true), failure(kind), 0, CALM)
      expect(decision).toMatchObject({ state: { by: 'pages', canStream } })
      expect(decision.wait).toBeUndefined()
    }
    expect(step(initialState(true), { got: 'silence' }, 0, CALM).state).toMatchObject({ by: 'pages', canStream: false })
  })

  it('tries a stream that was cut once more after a wait, and then pages', () => {
    const cut: Input = { got: 'end', version: '', after: 'a while' }
    const once = step(initialState(true), cut, 0, CALM)
    expect(once).toMatchObject({ state: { by: 'stream' }, wait: { attempt: 0 } })
    expect(step(once.state, cut, 0, CALM)).toMatchObject({
      state: { by: 'pages', canStream: true },
      wait: { attempt: 1 },
    })
  })
})

describe('a reflector that watches', () => {
  it('goes on where it was after a clean end', () => {
    expect(step(watching(), { got: 'end', version: '15', after: 'a while' }, 0, CALM)).toEqual({
      state: { ...watching(), from: '15' },
    })
  })

  it('lists anew, after a wait, when a watch ends at once without an event', () => {
    expect(step(watching(), { got: 'end', version: '10', after: 'nothing' }, 0, CALM)).toMatchObject({
      state: { at: 'list', known: '10' },
      wait: { attempt: 0 },
    })
  })

  it('goes on where it was when watches bring something and end at once, after a wait if they do it over and over', () => {
    let decision = step(watching(), { got: 'end', version: '11', after: 'a moment' }, 0, CALM)
    expect(decision).toMatchObject({ state: { at: 'watch', from: '11' } })
    expect(decision.wait).toBeUndefined()
    for (let i = 0; i < 2; i++)
      decision = step(decision.state, { got: 'end', version: '12', after: 'a moment' }, 0, CALM)
    expect(decision).toMatchObject({ state: { at: 'watch', from: '12' }, wait: { attempt: 0 } })
  })

  it('lists anew and not older, at once, when the server has forgotten its version; over and over, after a wait', () => {
    const first = step(watching(), failure('expired', 'not', '12'), 0, CALM)
    expect(first).toMatchObject({ state: { at: 'list', known: '12', mostRecent: false } })
    expect(first.wait).toBeUndefined()
    const again = step({ ...watching(), excused: 2, failedAt: 0 }, failure('expired'), 1, CALM)
    expect(again.wait).toEqual({ attempt: 0, atLeast: 0, atMost: Number.POSITIVE_INFINITY })
  })

  it('RE17: keeps its place when it is throttled or cut off', () => {
    for (const kind of ['throttled', 'unreachable'] as const) {
      expect(step(watching(), failure(kind), 0, CALM)).toMatchObject({ state: { at: 'watch' }, wait: { attempt: 0 } })
    }
    expect(step(watching(), failure('unreachable', 'briefly'), 0, CALM).wait).toBeUndefined()
  })

  it('waits for a quiet stream that is cut over and over no longer than it has lasted; for one that is cut at once, longer and longer', () => {
    const tired = { ...watching(), failures: 5, excused: 2, failedAt: 0 }
    const waitAfter = (lasted: number) => step(tired, failure('unreachable', 'briefly', '30', lasted), 1, CALM).wait
    expect(waitAfter(5)).toEqual({ attempt: 5, atLeast: 0, atMost: 5 })
    expect(waitAfter(0.01)).toEqual({ attempt: 5, atLeast: 0, atMost: Number.POSITIVE_INFINITY })
  })

  it('never waits because somebody cuts long watches over and over', () => {
    const tired = { ...watching(), failures: 5, excused: 2, failedAt: 0 }
    expect(step(tired, failure('unreachable', 'well', '30'), 1, CALM)).toEqual({ state: { ...tired, from: '30' } })
  })
})

it('however a server fails, it is never asked more than four times in a row without a wait', () => {
  const kinds = fc.constantFrom<FailureKind>(
    'expired',
    'too-large',
    'throttled',
    'unreachable',
    'refused',
    'broken',
    'unsupported',
  )
  const inputs = fc.oneof(
    fc.tuple(kinds, fc.constantFrom<Lifetime>('not', 'briefly')).map(([kind, lived]) => failure(kind, lived, '11')),
    fc.constantFrom<Span>('nothing', 'a moment').map((after): Input => ({ got: 'end', version: '11', after })),
  )
  const starts = fc.constantFrom(initialState(true), initialState(false), watching(), watching('10', false))
  fc.assert(
    fc.property(starts, fc.array(inputs, { minLength: 5, maxLength: 40 }), (start, failures) => {
      let [state, row] = [start, 0]
      for (const input of failures) {
        const decision = step(state, input, 0, CALM)
        state = decision.state
        row = decision.wait ? 0 : row + 1
        // A cut, a 410, a version that nobody knows, a stream that nobody sends.
        expect(row).toBeLessThanOrEqual(4)
      }
    }),
  )
})

it('tells failures apart by what to do about them', () => {
  const status = (code: number, reason = '', message = '', details = {}) =>
    apiError({ code, reason, message, details }, { request: { method: 'GET', path: '/' } })
  const kinds = [
    status(410, 'Gone'),
    status(410, 'Expired'),
    status(504, 'Timeout', '', { causes: [{ reason: 'ResourceVersionTooLarge' }] }),
    status(504, 'Timeout', 'Too large resource version: 2, current: 1'),
    status(500, '', 'the server said: too large resource version'),
    status(429),
    status(403),
    status(422),
    status(503),
    new NetworkError({ message: 'lost', mayHaveCommitted: false }),
    new LoginError({ message: 'no' }),
    new TypeError('whatever'),
  ].map((error) => failureOf(error).kind)
  expect(kinds).toEqual([
    'expired',
    'expired',
    'too-large',
    'too-large',
    'too-large',
    'throttled',
    'refused',
    'unsupported',
    'broken',
    'unreachable',
    'fatal',
    'broken',
  ])
  expect(failureOf(status(429, '', '', { retryAfterSeconds: 3 })).retryAfter).toBe(3)
})
