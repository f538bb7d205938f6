import { type AnyObject, exponential, VirtualClock } from '@binnacle/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeServer, lost, type PatchRequest, status } from '../../test/fake-server.ts'
import { Kex, kex, logbook, runtime } from '../../test/sample.ts'
import type { Write } from '../report/observer.ts'
import { type Applied, applyIntention } from './apply.ts'
import type { Intention } from './plan.ts'

const OURS = 'hello.binnacle.dev/finalizer'
const TRIES = 4
const intention = (
  merge: object,
  more: Partial<Intention> & { edits?: Intention['change']['edits'] } = {},
): Intention => ({
  change: { merge: merge as never, edits: more.edits ?? [] },
  finalizer: more.finalizer ?? 'leave',
})

class Story {
  readonly clock = new VirtualClock()
  readonly writes: Write[] = []
  readonly log = logbook()
  readonly server: FakeServer

  constructor(object: AnyObject | undefined) {
    this.server = new FakeServer(object)
  }

  /** Applies, and lets as much time pass as it asks for. */
  async apply(body: AnyObject, intended: Intention, signal = new AbortController().signal): Promise<Applied> {
    let over = false
    const applying = applyIntention(
      {
        client: this.server.client,
        runtime: runtime(this.clock, this.log.logger),
        resource: Kex,
        options: { finalizerName: OURS, statusSubresource: true },
        reporter: { write: (write) => void this.writes.push(write) },
        backoff: exponential({ initial: 1, max: 8, jitter: 0 }),
        tries: TRIES,
      },
      body,
      intended,
      signal,
    ).finally(() => {
      over = true
    })
    applying.catch(() => {})
    while (!over) await this.clock.advance(1)
    return applying
  }
}

/** A fault for the first so many requests. */
const first = (times: number, error: () => Error, to?: PatchRequest['to']) => {
  let left = times
  return (request: PatchRequest) => ((to !== undefined && request.to !== to) || left-- <= 0 ? undefined : error())
}

const body = kex({ finalizers: ['x'] }, { spec: { list: [1] }, status: { count: 0 } })
const both = { spec: { a: 1 }, status: { b: 2 } }

describe('without trouble', () => {
  it('sends the status first, then the object, and gives back the newest body', async () => {
    const story = new Story(body)
    const applied = await story.apply(body, intention(both))
    expect(story.server.requests.map(({ to }) => to)).toEqual(['status', 'object'])
    expect(applied).toEqual({ body: story.server.object, written: true })
    expect(story.server.object).toMatchObject({ spec: { list: [1], a: 1 }, status: { count: 0, b: 2 } })
  })

  it('sends nothing where nothing changes', async () => {
    const story = new Story(body)
    expect(await story.apply(body, intention({ status: { count: 0 } }))).toEqual({ body, written: false })
    expect(story.server.requests).toEqual([])
  })

  it('tells the observer what was written, without the guards', async () => {
    const story = new Story(body)
    await story.apply(body, intention(both))
    expect(story.writes.map(({ to, operations, object }) => ({ to, operations, object }))).toEqual([
      { to: 'status', operations: [{ op: 'add', path: '/status/b', value: 2 }], object: 'KopfExample default/a' },
      { to: 'object', operations: [{ op: 'add', path: '/spec/a', value: 1 }], object: 'KopfExample default/a' },
    ])
  })

  it('makes an edit once, although status and object are two requests', async () => {
    const story = new Story(body)
    const edit = (draft: object) => {
      const { spec, status } = draft as AnyObject
      spec.list.push(2)
      status.count++
    }
    await story.apply(body, intention({}, { edits: [edit] }))
    expect(story.server.object).toMatchObject({ spec: { list: [1, 2] }, status: { count: 1 } })
    expect(story.server.requests).toHaveLength(2)
  })
})

describe('when the body is not what the server has', () => {
  it('makes the write anew for the freshest body, at once', async () => {
    const story = new Story(body)
    story.server.change((object) => ({ ...object, metadata: { ...object.metadata, finalizers: ['x', 'y'] } }))
    await story.apply(body, intention({}, { finalizer: 'hold' }))
    expect(story.server.object?.metadata.finalizers).toEqual(['x', 'y', OURS])
    expect(story.server.reads).toBe(1)
  })

  it('runs an edit again on what is there now', async () => {
    const story = new Story(body)
    story.server.change((object) => ({ ...object, spec: { list: [1, 7] } }))
    await story.apply(body, intention({}, { edits: [(draft) => void (draft as AnyObject)['spec'].list.push(2)] }))
    expect(story.server.object?.['spec']).toEqual({ list: [1, 7, 2] })
  })

  it('does not edit the status a second time because the object was refused', async () => {
    const story = new Story(body)
    story.server.before = first(1, () => status(409, 'Conflict'), 'object')
    const edit = (draft: object) => {
      const { spec, status } = draft as AnyObject
      spec.list.push(2)
      status.count++
    }
    const applied = await story.apply(body, intention({}, { edits: [edit] }))
    expect(story.server.object).toMatchObject({ spec: { list: [1, 2] }, status: { count: 1 } })
    expect(applied?.written).toBe(true)
  })

  it('says that it has written also if the last try had nothing left to do', async () => {
    const story = new Story(body)
    story.server.before = first(1, () => status(409, 'Conflict'), 'object')
    const applying = story.apply(body, intention(both))
    // Between the two tries somebody else does the rest.
    story.server.onRead = () => {
      story.server.change((object) => ({ ...object, spec: { ...object['spec'], a: 1 } }))
      return undefined
    }
    expect(await applying).toMatchObject({ written: true })
  })

  it('gives up after so many tries, with the last error', async () => {
    const story = new Story(body)
    story.server.before = () => status(409, 'Conflict')
    await expect(story.apply(body, intention(both))).rejects.toMatchObject({ code: 409 })
    expect(story.server.requests).toHaveLength(TRIES)
  })
})

describe('when an answer is lost', () => {
  it('does not repeat a write that has happened', async () => {
    const story = new Story(body)
    story.server.after = first(1, lost, 'object')
    const applied = await story.apply(body, intention(both, { finalizer: 'hold' }))
    expect(story.server.requests.map(({ to }) => to)).toEqual(['status', 'object'])
    expect(story.server.object?.metadata.finalizers).toEqual(['x', OURS])
    expect(applied).toMatchObject({ written: true, body: { spec: { a: 1 } } })
  })

  it('repeats one that has not', async () => {
    const story = new Story(body)
    story.server.before = first(2, lost)
    await story.apply(body, intention(both))
    expect(story.server.object).toMatchObject({ spec: { a: 1 }, status: { b: 2 } })
  })

  it('waits longer from try to try', async () => {
    const story = new Story(body)
    story.server.before = first(3, lost)
    await story.apply(body, intention(both))
    expect(story.clock.monotonic()).toBeGreaterThanOrEqual(1 + 2 + 4)
  })

  it('keeps what is to be written for as long as nobody answers, and says so', async () => {
    const story = new Story(body)
    story.server.before = first(5 * TRIES, lost)
    await story.apply(body, intention(both))
    expect(story.server.object).toMatchObject({ spec: { a: 1 }, status: { b: 2 } })
    expect(story.log.lines).toHaveLength(5)
    expect(story.log.lines[0]).toMatch(
      /^warn What is to be written to KopfExample default\/a does not get through, and is kept until it does: /,
    )
  })

  it('counts only the refusals among silence', async () => {
    const story = new Story(body)
    let turn = 0
    story.server.before = () => (turn++ % 2 === 0 ? lost() : status(503, 'ServiceUnavailable'))
    await expect(story.apply(body, intention(both))).rejects.toMatchObject({ code: 503 })
    expect(story.server.requests).toHaveLength(2 * TRIES)
  })

  it('tries again also when the fresh body cannot be had', async () => {
    const story = new Story(body)
    story.server.before = first(1, lost)
    story.server.onRead = (() => {
      let left = 1
      return () => (left-- > 0 ? lost() : undefined)
    })()
    await story.apply(body, intention(both))
    expect(story.server.object).toMatchObject({ spec: { a: 1 }, status: { b: 2 } })
  })
})

describe('what it does about other refusals', () => {
  it.each([
    [500, 'InternalError', 2],
    [503, 'ServiceUnavailable', 2],
    [429, 'TooManyRequests', 2],
    [409, 'Conflict', 2],
    [422, 'Invalid', 2],
    [401, 'Unauthorized', 2],
    [403, 'Forbidden', 2],
  ])('%s is worth another try', async (code, reason, requests) => {
    const story = new Story(body)
    story.server.before = first(1, () => status(code, reason))
    await story.apply(body, intention({ spec: { a: 1 } }))
    expect(story.server.requests).toHaveLength(requests)
  })

  it('400 is not', async () => {
    const story = new Story(body)
    story.server.before = () => status(400, 'BadRequest')
    await expect(story.apply(body, intention({ spec: { a: 1 } }))).rejects.toMatchObject({ code: 400 })
    expect(story.server.requests).toHaveLength(1)
  })

  it('a body that the server does not accept (422 with causes) is not', async () => {
    const story = new Story(body)
    story.server.before = () => status(422, 'Invalid', 'spec.a: too small', [{ field: 'spec.a' }])
    await expect(story.apply(body, intention({ spec: { a: 1 } }))).rejects.toThrow('spec.a: too small')
    expect(story.server.requests).toHaveLength(1)
  })
})

describe('an object that is gone', () => {
  it('is left alone', async () => {
    const story = new Story(undefined)
    expect(await story.apply(body, intention({ spec: { a: 1 } }))).toBeUndefined()
  })

  it('is left alone also if it goes between two tries', async () => {
    const story = new Story(body)
    story.server.before = first(1, lost)
    story.server.onRead = () => {
      story.server.object = undefined
      return undefined
    }
    expect(await story.apply(body, intention({ spec: { a: 1 } }))).toBeUndefined()
  })

  it('and replaced by another of its name is left alone too', async () => {
    const other = kex({ uid: 'uid-b', resourceVersion: '9' }, { spec: {} })
    const story = new Story(other)
    expect(await story.apply(body, intention({ spec: { a: 1 } }))).toBeUndefined()
    expect(story.server.object).toEqual(other)
  })
})

it('ends at once when it is told to', async () => {
  const story = new Story(body)
  const control = new AbortController()
  story.server.before = () => {
    control.abort(new Error('exit'))
    return lost()
  }
  await expect(story.apply(body, intention({ spec: { a: 1 } }), control.signal)).rejects.toThrow('exit')
  expect(story.clock.sleeping).toBe(0)
})

it('whatever goes wrong on the way, the intention arrives whole or an error is thrown, and no other object is touched', async () => {
  type Trouble = 'none' | 'lost before' | 'lost after' | 'conflict' | 'replaced' | 'gone' | 'foreign finalizer'
  const trouble = fc.constantFrom<Trouble>(
    'none',
    'lost before',
    'lost after',
    'conflict',
    'replaced',
    'gone',
    'foreign finalizer',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(trouble, { maxLength: 5 }),
      fc.constantFrom('hold', 'leave' as const),
      async (troubles, finalizer) => {
        const story = new Story(body)
        const { server } = story
        const left = [...troubles]
        let lostAnswer = false
        server.before = () => {
          const now = left.shift() ?? 'none'
          lostAnswer = now === 'lost after'
          if (now === 'replaced') server.object = kex({ uid: 'uid-b' }, { spec: {} })
          if (now === 'gone') server.object = undefined
          if (now === 'foreign finalizer')
            server.change((object) => ({ ...object, metadata: { ...object.metadata, finalizers: ['x', 'z'] } }))
          if (now === 'lost before') return lost()
          return now === 'conflict' ? status(409, 'Conflict') : undefined
        }
        server.after = () => (lostAnswer ? lost() : undefined)
        const applied = await story
          .apply(body, intention(both, { finalizer: finalizer as never }))
          .catch((error: unknown) => error)
        if (server.object?.metadata.uid === 'uid-b') expect(server.object).toEqual(kex({ uid: 'uid-b' }, { spec: {} }))
        if (applied instanceof Error) return
        if (applied === undefined) expect(server.object?.metadata.uid).not.toBe(body.metadata.uid)
        else {
          expect(server.object).toMatchObject({ spec: { list: [1], a: 1 }, status: { b: 2 } })
          const ours = (server.object?.metadata.finalizers ?? []).filter((name) => name === OURS)
          expect(ours).toHaveLength(finalizer === 'hold' ? 1 : 0)
          expect((applied as { body: AnyObject }).body).toEqual(server.object)
        }
      },
    ),
    { numRuns: 150 },
  )
})
