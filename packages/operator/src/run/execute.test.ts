import { exponential, VirtualClock } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { handler } from '../../test/sample.ts'
import type { DeclaredOptions } from '../declare/handler.ts'
import type { Result } from '../declare/options.ts'
import { advance, type Progress, resume } from '../progress/progress.ts'
import { HandlerRetriesError, HandlerTimeoutError, PermanentError, TemporaryError } from './errors.ts'
import { type Attempted, execute } from './execute.ts'

const unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

class Story {
  readonly clock = new VirtualClock()
  readonly exit = new AbortController()
  calls = 0
  progress: Progress = resume(undefined, { reason: 'create', essence: 'A' }, this.clock.now())

  attempt(options: DeclaredOptions, fn: (signal: AbortSignal) => Result | Promise<Result>): Promise<Attempted> {
    const call = (signal: AbortSignal) => {
      this.calls++
      return fn(signal)
    }
    return execute(handler('create', { id: 'act', ...options }), this.progress, call, {
      clock: this.clock,
      random: () => 0.5,
      defaultBackoff: '60s',
      exit: this.exit.signal,
    })
  }

  /** Attempts one after another, until the handler is done with. */
  async history(options: DeclaredOptions, fn: () => Result): Promise<readonly string[]> {
    const outcomes: string[] = []
    for (let n = 0; n < 10; n++) {
      const { outcome, verdict } = await this.attempt(options, fn)
      outcomes.push(outcome)
      if (!verdict) break
      this.progress = advance(this.progress, verdict, this.clock.now())
      if (verdict.kind !== 'again') break
      await this.clock.advance(verdict.delay)
    }
    return outcomes
  }
}

const fail = (error: unknown) => () => {
  throw error
}

describe('an attempt', () => {
  it('that returns is a success, with its result', async () => {
    expect(await new Story().attempt({}, () => ({ a: 1 }))).toEqual({
      outcome: 'success',
      verdict: { kind: 'success' },
      result: { a: 1 },
    })
  })

  it('may return nothing, later', async () => {
    expect(await new Story().attempt({}, async () => {})).toMatchObject({ outcome: 'success', result: undefined })
  })

  it.each<[string, DeclaredOptions, unknown, string, object]>([
    [
      'a TemporaryError is tried again after its delay',
      {},
      new TemporaryError('x', { delay: 5 }),
      'temporary',
      { kind: 'again', delay: 5, message: 'x' },
    ],
    ['a TemporaryError without a delay, after a minute', {}, new TemporaryError('x'), 'temporary', { delay: 60 }],
    [
      'a TemporaryError is one whatever the mode',
      { errors: 'permanent' },
      new TemporaryError('x'),
      'temporary',
      { kind: 'again' },
    ],
    ['a PermanentError is the end', {}, new PermanentError('x'), 'permanent', { kind: 'failure', message: 'x' }],
    [
      'a PermanentError is one whatever the mode',
      { errors: 'ignored' },
      new PermanentError('x'),
      'permanent',
      { kind: 'failure' },
    ],
    [
      'another error is tried again after the default',
      {},
      new Error('x'),
      'temporary',
      { kind: 'again', delay: 60, message: 'x' },
    ],
    ['or after the handler’s backoff', { backoff: '5s' }, new Error('x'), 'temporary', { delay: 5 }],
    [
      'or after what its policy says',
      { backoff: exponential({ initial: 2, jitter: 1 }) },
      new Error('x'),
      'temporary',
      { delay: 3 },
    ],
    [
      'or after what its function says',
      { backoff: (attempt) => attempt + 7 },
      new Error('x'),
      'temporary',
      { delay: 7 },
    ],
    ['or is the end', { errors: 'permanent' }, new Error('x'), 'permanent', { kind: 'failure', message: 'x' }],
    [
      'or is ignored, which is a success without a result',
      { errors: 'ignored' },
      new Error('x'),
      'ignored',
      { kind: 'success' },
    ],
    ['anything can be thrown', {}, 'text', 'temporary', { message: 'text' }],
    ['even nothing', {}, undefined, 'temporary', { message: 'undefined' }],
  ])('%s', async (_, options, error, outcome, verdict) => {
    const attempted = await new Story().attempt(options, fail(error))
    expect(attempted).toMatchObject({ outcome, verdict })
    expect(attempted.error).toBe(error)
    expect(attempted.result).toBeUndefined()
  })

  it.each([
    ['throws', () => fail(new Error('broken backoff'))()],
    ['says nonsense', () => 'soon' as never],
  ])('is tried again after a minute also if its backoff %s', async (_, backoff) => {
    const attempted = await new Story().attempt({ backoff }, fail(new Error('x')))
    expect(attempted).toMatchObject({ outcome: 'temporary', verdict: { kind: 'again', delay: 60 } })
  })
})

describe('retries', () => {
  it('are attempts in all, and the last failure is the end without a wait', async () => {
    const story = new Story()
    expect(await story.history({ retries: 3 }, fail(new Error('x')))).toEqual(['temporary', 'temporary', 'permanent'])
    expect(story.calls).toBe(3)
    expect(story.clock.monotonic()).toBe(120)
  })

  it('that are used up say so, with the last error', async () => {
    const cause = new Error('no route')
    const { error } = await new Story().attempt({ retries: 1 }, fail(cause))
    expect(error).toBeInstanceOf(HandlerRetriesError)
    expect((error as Error).message).toBe('Handler "act" has not succeeded in 1 attempts; the last error: no route')
    expect((error as Error).cause).toBe(cause)
  })

  it('that were used up before, because the limit has been lowered, forbid the call', async () => {
    const story = new Story()
    story.progress = { ...story.progress, retries: 5 }
    expect(await story.attempt({ retries: 3 }, () => {})).toMatchObject({ outcome: 'permanent' })
    expect(story.calls).toBe(0)
  })
})

describe('a timeout', () => {
  it('aborts the signal and is a failure at once, although the handler does not end', async () => {
    const story = new Story()
    let signal: AbortSignal | undefined
    const attempt = story.attempt({ timeout: 10 }, (given) => {
      signal = given
      return new Promise(() => {})
    })
    await story.clock.advance(9.9)
    expect(signal?.aborted).toBe(false)
    await story.clock.advance(0.1)
    expect(await attempt).toMatchObject({ outcome: 'permanent', verdict: { kind: 'failure' } })
    expect((await attempt).error).toBeInstanceOf(HandlerTimeoutError)
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toBeInstanceOf(HandlerTimeoutError)
  })

  it('is the outcome also when the handler obeys the signal', async () => {
    const story = new Story()
    const attempt = story.attempt({ timeout: 10 }, (signal) => story.clock.sleep(60, signal))
    await story.clock.advance(10)
    expect((await attempt).error).toBeInstanceOf(HandlerTimeoutError)
  })

  it('drops what the handler returns or throws after it', async () => {
    for (const end of [() => 'late', fail(new Error('late'))]) {
      const story = new Story()
      const attempt = story.attempt({ timeout: 10 }, async () => {
        await story.clock.sleep(20)
        return end() as string
      })
      await story.clock.advance(30)
      expect(await attempt).toMatchObject({ outcome: 'permanent', error: { name: 'HandlerTimeoutError' } })
    }
  })

  it('counts from the first attempt, over all of them', async () => {
    const story = new Story()
    expect(await story.history({ timeout: 25, backoff: 10 }, fail(new Error('x')))).toEqual([
      'temporary',
      'temporary',
      'permanent',
    ])
    expect(story.clock.monotonic()).toBe(20)
  })

  it('that would pass during the wait is the end without the wait', async () => {
    const { error } = await new Story().attempt({ timeout: 60 }, fail(new Error('x')))
    expect(error).toBeInstanceOf(HandlerTimeoutError)
    expect((error as Error).message).toBe('Handler "act" has not succeeded within 60 s; the last error: x')
  })

  it('that has passed while the operator was away forbids the call', async () => {
    const story = new Story()
    await story.clock.advance('1h')
    expect(await story.attempt({ timeout: '30m' }, () => {})).toMatchObject({ outcome: 'permanent' })
    expect(story.calls).toBe(0)
  })

  it('leaves no sleeper behind when the handler ends in time', async () => {
    const story = new Story()
    await story.attempt({ timeout: 10 }, () => {})
    expect(story.clock.sleeping).toBe(0)
  })
})

describe('the exit of the operator', () => {
  it('interrupts a handler, which leaves no verdict', async () => {
    const story = new Story()
    let signal: AbortSignal | undefined
    const attempt = story.attempt({ timeout: 60 }, (given) => {
      signal = given
      return new Promise(() => {})
    })
    await story.clock.advance(1)
    story.exit.abort(new Error('exit'))
    expect(await attempt).toMatchObject({ outcome: 'interrupted', error: { message: 'exit' } })
    expect((await attempt).verdict).toBeUndefined()
    expect(signal?.aborted).toBe(true)
    expect(story.clock.sleeping).toBe(0)
  })

  it('does not count the error that a handler throws because of it', async () => {
    const story = new Story()
    const attempt = story.attempt({ errors: 'permanent' }, (signal) => story.clock.sleep(60, signal))
    await story.clock.advance(1)
    story.exit.abort(new Error('exit'))
    expect((await attempt).outcome).toBe('interrupted')
  })

  it('leaves a handler that ended before it alone', async () => {
    const story = new Story()
    const attempted = await story.attempt({}, () => 'done')
    story.exit.abort(new Error('exit'))
    expect(attempted.outcome).toBe('success')
  })

  it('is not kept waiting, nor disturbed, by what an abandoned handler throws later', async () => {
    const story = new Story()
    const attempt = story.attempt({}, async () => {
      await story.clock.sleep(100)
      throw new Error('nobody hears it')
    })
    await story.clock.advance(1)
    story.exit.abort(new Error('exit'))
    await attempt
    await story.clock.advance(200)
  })
})
