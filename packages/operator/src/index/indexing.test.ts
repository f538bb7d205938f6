import { type AnyObject, type Logger, VirtualClock } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kex, logbook, noEvents, runtime } from '../../test/sample.ts'
import { type IndexDefinition, index, indexDefinition } from '../declare/index-handler.ts'
import { objectView } from '../run/context.ts'
import { PermanentError, TemporaryError } from '../run/errors.ts'
import { indexJudge } from '../run/judge-index.ts'
import { AlarmClock } from '../spawn/alarm-clock.ts'
import { Indexing } from './indexing.ts'

const unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

function deps(clock: VirtualClock, logger?: Logger, alarms = new AlarmClock(clock)) {
  const given = runtime(clock, logger)
  return { runtime: given, judge: indexJudge(given), after: alarms.after.bind(alarms) }
}

/** An index over one function, filled by hand. */
class Story {
  readonly book = logbook()
  readonly clock = new VirtualClock()
  readonly alarms = new AlarmClock(this.clock)
  readonly definition: IndexDefinition
  readonly indexing: Indexing

  constructor(fn: (context: never) => unknown, options: object = {}) {
    this.definition = indexDefinition(index('kopfexamples', options, fn as never)) as IndexDefinition
    this.indexing = new Indexing(new Map([['mine', this.definition]]), deps(this.clock, this.book.logger, this.alarms))
  }

  put(...bodies: readonly AnyObject[]): this {
    for (const body of bodies)
      this.indexing.put(new Set([this.definition]), body, (object) => this.view(object as AnyObject))
    return this
  }

  drop(uid: string): this {
    this.indexing.drop(new Set([this.definition]), uid)
    return this
  }

  view(body: AnyObject): object {
    const surroundings = {
      resource: {} as never,
      memo: {},
      shared: undefined,
      logger: this.book.logger,
      events: noEvents,
      indices: {},
    }
    return { ...objectView(body, surroundings), indices: this.indexing.views }
  }

  /** Lets time pass, with the alarms that fall due. */
  async pass(seconds: number): Promise<this> {
    const end = new AbortController()
    const running = this.alarms.run(end.signal)
    await this.clock.advance(seconds)
    end.abort()
    await running
    return this
  }

  get contents() {
    return [...(this.indexing.views['mine'] ?? [])].map(([key, values]) => [key, values.toArray()])
  }
}

const a = kex({ name: 'a', uid: '1', labels: { app: 'web' } }, { spec: { size: 1 } })
const b = kex({ name: 'b', uid: '2', labels: { app: 'web' } }, { spec: { size: 2 } })
type Ctx = {
  name: string
  namespace: string
  labels: object
  body: object
  spec: object
  meta: object
  status: object
  annotations: object
  memo: object
}

describe('what an indexing function returns', () => {
  it.each<[string, (ctx: Ctx) => unknown, unknown]>([
    ['a plain object is merged by key', ({ namespace, name }) => ({ [namespace]: name }), [['default', ['a', 'b']]]],
    [
      'so is one without a prototype',
      ({ name }) => Object.assign(Object.create(null), { x: name }),
      [['x', ['a', 'b']]],
    ],
    [
      'a Map is merged by key, with keys of any kind',
      ({ namespace, name }) => new Map([[[namespace, name], 1]]),
      [
        [['default', 'a'], [1]],
        [['default', 'b'], [1]],
      ],
    ],
    [
      'several keys at once',
      ({ name }) => ({ x: name, [name]: 1 }),
      [
        ['x', ['a', 'b']],
        ['a', [1]],
        ['b', [1]],
      ],
    ],
    ['a mapping inside is a value', ({ name }) => ({ x: { y: name } }), [['x', [{ y: 'a' }, { y: 'b' }]]]],
    ['a string is a value under null', ({ name }) => name, [[null, ['a', 'b']]]],
    [
      'a list is one value',
      ({ namespace, name }) => [namespace, name],
      [
        [
          null,
          [
            ['default', 'a'],
            ['default', 'b'],
          ],
        ],
      ],
    ],
    ['a Set is one value', ({ name }) => new Set([name]), [[null, [new Set(['a']), new Set(['b'])]]]],
    ['false and 0 are values', ({ name }) => (name === 'a' ? false : 0), [[null, [false, 0]]]],
    ['undefined is nothing', () => undefined, []],
    ['null is nothing', () => null, []],
    ['null inside of a mapping is a value', () => ({ key: null }), [['key', [null, null]]]],
    ['undefined inside of a mapping is a value', () => ({ key: undefined }), [['key', [undefined, undefined]]]],
    ['an empty mapping is nothing', () => ({}), []],
    ['the body is one value', ({ body }) => body, [[null, [a, b]]]],
    ['the labels are one value', ({ labels }) => labels, [[null, [{ app: 'web' }, { app: 'web' }]]]],
    ['the spec is one value', ({ spec }) => spec, [[null, [{ size: 1 }, { size: 2 }]]]],
    ['an absent status is one value too', ({ status }) => status, [[null, [{}, {}]]]],
    ['the memo is one value', ({ memo }) => memo, [[null, [{}, {}]]]],
    ['a copy of the labels is unfolded', ({ labels }) => ({ ...labels }), [['app', ['web', 'web']]]],
    [
      'the body under a key is a value',
      ({ name, body }) => ({ [name]: body }),
      [
        ['a', [a]],
        ['b', [b]],
      ],
    ],
  ])('%s', (_, fn, expected) => {
    expect(new Story(fn as never).put(a, b).contents).toEqual(expected)
  })

  it('an instance of a class is one value, also of one that extends Map', () => {
    class Mine {
      x = 1
    }
    class MyMap extends Map<string, number> {}
    for (const value of [new Mine(), new MyMap([['x', 1]]), new Date(0)]) {
      expect(new Story(() => value).put(a).contents).toEqual([[null, [value]]])
    }
  })

  it('a part taken out of the context is a plain object', () => {
    expect(
      new Story(({ body }: { body: AnyObject }) => body['spec'].inner).put(kex({}, { spec: { inner: { x: 1 } } }))
        .contents,
    ).toEqual([['x', [1]]])
  })
})

describe('an object', () => {
  it('that changes has its new values and not its old ones', () => {
    const story = new Story(({ labels }: Ctx) => ({ ...labels })).put(a)
    story.put(kex({ uid: '1', labels: { tier: 'db' } }))
    expect(story.contents).toEqual([['tier', ['db']]])
  })

  it('keeps its values when the function returns nothing', () => {
    const story = new Story(({ labels, name }: { labels: { skip?: string }; name: string }) =>
      labels.skip ? undefined : { [name]: 1 },
    ).put(a)
    story.put(kex({ uid: '1', name: 'a', labels: { skip: 'yes' } }))
    expect(story.contents).toEqual([['a', [1]]])
  })

  it('loses them when it is deleted', () => {
    expect(new Story(({ name }: Ctx) => name).put(a, b).drop('1').contents).toEqual([[null, ['b']]])
  })

  it('loses them when the filters do not match any more', () => {
    const story = new Story(({ name }: Ctx) => name, { labels: { app: 'web' } }).put(a, b)
    story.put(kex({ uid: '1', labels: { app: 'db' } }))
    expect(story.contents).toEqual([[null, ['b']]])
  })

  it('that does not match is not shown to the function', () => {
    const seen: string[] = []
    new Story(({ name }: Ctx) => void seen.push(name), { field: 'spec.size', value: 2 }).put(a, b)
    expect(seen).toEqual(['b'])
  })

  it('of the same name but another uid is another object', () => {
    expect(new Story(({ name }: Ctx) => name).put(a, kex({ name: 'a', uid: '9' })).contents).toEqual([
      [null, ['a', 'a']],
    ])
  })
})

describe('a function that fails', () => {
  it('is reported, and what it gave before stays', () => {
    let fails = false
    const story = new Story(({ name }: Ctx) => {
      if (fails) throw new Error('no such field')
      return { [name]: 1 }
    }).put(a)
    fails = true
    story.put(a)
    expect(story.contents).toEqual([['a', [1]]])
    expect(story.book.lines).toEqual(['error Index "mine" keeps what it had of KopfExample default/a: no such field'])
  })

  it('does not keep other indices from being filled', () => {
    const broken = indexDefinition(
      index('x', () => {
        throw new Error('x')
      }),
    ) as IndexDefinition
    const good = indexDefinition(index('x', () => 'value')) as IndexDefinition
    const indexing = new Indexing(
      new Map([
        ['broken', broken],
        ['good', good],
      ]),
      deps(new VirtualClock()),
    )
    indexing.put(new Set([broken, good]), a, () => ({}))
    expect(indexing.views['good']?.get(null).toArray()).toEqual(['value'])
  })

  it('by its filter is reported too', () => {
    const story = new Story(() => 1, {
      when: () => {
        throw new Error('broken filter')
      },
    }).put(a)
    expect(story.book.lines.join()).toContain('broken filter')
  })

  it('names an object of cluster scope by its name alone', () => {
    const story = new Story(() => {
      throw new Error('x')
    })
    const { namespace: _, ...metadata } = kex().metadata
    story.put({ ...kex(), metadata } as AnyObject)
    expect(story.book.lines.join()).toContain('of KopfExample a: x')
  })

  it.each([
    ['that resolves', async () => 'x'],
    [
      'that rejects',
      async () => {
        throw new Error('later')
      },
    ],
  ])('because it returns a promise %s is told why it must not', (_, fn) => {
    const story = new Story(fn).put(a)
    expect(story.contents).toEqual([])
    expect(story.book.lines.join()).toContain('returned a promise')
  })

  it('because of a key that is none keeps what it had', () => {
    const story = new Story(
      () =>
        new Map([
          ['good', 1],
          [undefined as never, 2],
        ]),
    ).put(a)
    expect(story.contents).toEqual([])
    expect(story.book.lines.join()).toContain('cannot be the key of an index')
  })
})

/** Fails as often as is told, and tells of its attempts. */
class Flaky {
  readonly attempts: (readonly [retry: number, runtime: number])[] = []
  failing: Error | undefined
  readonly fn = ({ name, retry, runtime }: Ctx & { retry: number; runtime: number }) => {
    this.attempts.push([retry, runtime])
    if (this.failing) throw this.failing
    return { [name]: this.attempts.length }
  }
}

describe('a permanent failure', () => {
  it.each([
    ['of ours', {}, new PermanentError('never')],
    ['of any kind, by the error mode', { errors: 'permanent' }, new Error('never')],
  ])('%s removes the values, and excludes the object for good', async (_, options, error) => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn, options).put(a, b)
    flaky.failing = error
    story.put(a)
    expect(story.contents).toEqual([['b', [2]]])
    flaky.failing = undefined
    await story.put(a).pass(3600)
    expect(story.contents).toEqual([['b', [2]]])
    expect(flaky.attempts).toHaveLength(3)
    expect(story.book.lines).toEqual(['error Index "mine" excludes KopfExample default/a for good: never'])
  })

  it('is forgotten with the object', () => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn, { errors: 'permanent' })
    flaky.failing = new Error('x')
    expect(story.put(a).indexing.excluded).toBe(1)
    expect(story.drop('1').indexing.excluded).toBe(0)
  })
})

describe('a temporary failure', () => {
  it.each([
    ['of ours, for its delay', {}, new TemporaryError('not yet', { delay: 30 }), 30],
    ['of any kind, for the backoff', { errors: 'temporary', backoff: '10s' }, new Error('not yet'), 10],
    ['of any kind, for a minute', { errors: 'temporary' }, new Error('not yet'), 60],
  ])('%s removes the values and excludes the object', async (_, options, error, delay) => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn, options).put(a)
    flaky.failing = error
    story.put(a)
    expect(story.contents).toEqual([])
    flaky.failing = undefined
    await story.put(a).pass(delay - 1)
    expect(flaky.attempts).toHaveLength(2)
    await story.pass(1)
    // By itself, and with the newest state.
    expect(story.contents).toEqual([['a', [3]]])
    expect(flaky.attempts.at(-1)).toEqual([1, delay])
    expect(story.indexing.excluded).toBe(0)
    expect(story.alarms.size).toBe(0)
  })

  it('is over with the next change, when it has no delay, and by itself soon', async () => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn)
    flaky.failing = new TemporaryError('not yet', { delay: 0 })
    story.put(a)
    await story.pass(1)
    expect(flaky.attempts).toHaveLength(2)
    flaky.failing = undefined
    expect(story.put(a).contents).toEqual([['a', [3]]])
  })

  it('counts the attempts and the time since the first one, and a success resets both', async () => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn, { errors: 'temporary', backoff: 10 })
    flaky.failing = new Error('not yet')
    await story.put(a).pass(20)
    flaky.failing = undefined
    await story.pass(10)
    flaky.failing = new Error('again')
    story.put(a)
    expect(flaky.attempts).toEqual([
      [0, 0],
      [1, 10],
      [2, 20],
      [3, 30],
      [0, 0],
    ])
  })

  it.each([
    ['retries', { retries: 2 }, 2],
    ['timeout', { timeout: 25 }, 3],
  ])('becomes a permanent one when its %s are used up', async (_, limits, attempts) => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn, { errors: 'temporary', backoff: 10, ...limits })
    flaky.failing = new Error('not yet')
    await story.put(a).pass(100)
    flaky.failing = undefined
    await story.put(a).pass(100)
    expect(flaky.attempts).toHaveLength(attempts)
    expect(story.contents).toEqual([])
    expect(story.book.lines.at(-1)).toContain('for good')
  })

  it('of an object that is gone is not tried again', async () => {
    const flaky = new Flaky()
    const story = new Story(flaky.fn, { errors: 'temporary' })
    flaky.failing = new Error('x')
    await story.put(a).drop('1').pass(3600)
    expect(flaky.attempts).toHaveLength(1)
    expect(story.alarms.size).toBe(0)
  })
})

describe('indices by name', () => {
  it('exist before anything is put', () => {
    expect(new Story(() => 1).indexing.views['mine']?.size).toBe(0)
  })

  it('are one where one declaration is listed twice, and its function runs once', () => {
    let calls = 0
    const definition = indexDefinition(index('x', () => ++calls)) as IndexDefinition
    const indexing = new Indexing(
      new Map([
        ['one', definition],
        ['two', definition],
      ]),
      deps(new VirtualClock()),
    )
    indexing.put(new Set([definition]), a, () => ({}))
    expect(calls).toBe(1)
    expect(indexing.views['one']).toBe(indexing.views['two'])
  })

  it('can be read by indexing functions', () => {
    const story = new Story(({ indices }: { indices: { mine: { size: number } } }) => ({ [indices.mine.size]: 1 })).put(
      a,
      b,
    )
    expect(story.contents).toEqual([
      ['0', [1]],
      ['1', [1]],
    ])
  })
})

describe('a declaration', () => {
  it.each([
    [{ errors: 'sometimes' }, 'has errors: "sometimes"'],
    [{ retries: 0 }, 'has retries: 0'],
    [{ timeout: 'soon' }, 'has a timeout that is none'],
    [{ backoff: 'soon' }, 'has a backoff that is none'],
  ])('with %j is refused', (options, message) => {
    expect(() => index('pods', options as never, () => 1)).toThrow(message)
  })

  it('without a function is refused, with the line to write', () => {
    expect(() => index('pods', { labels: { a: 'b' } } as never)).toThrow('The index over pods has no function')
  })

  it('is nothing that anybody else makes', () => {
    expect(indexDefinition({})).toBeUndefined()
    expect(indexDefinition(undefined)).toBeUndefined()
  })
})
