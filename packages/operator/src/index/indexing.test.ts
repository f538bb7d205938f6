import { type AnyObject, VirtualClock } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { kex, logbook, runtime } from '../../test/sample.ts'
import { type IndexDefinition, index, indexDefinition } from '../declare/index-handler.ts'
import { objectView } from '../run/context.ts'
import { Indexing } from './indexing.ts'

const unhandled: unknown[] = []
const note = (error: unknown) => void unhandled.push(error)
beforeEach(() => void process.on('unhandledRejection', note))
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled.splice(0)).toEqual([])
})

/** An index over one function, filled by hand. */
class Story {
  readonly book = logbook()
  readonly definition: IndexDefinition
  readonly indexing: Indexing

  constructor(fn: (context: never) => unknown, options: object = {}) {
    this.definition = indexDefinition(index('kopfexamples', options, fn as never)) as IndexDefinition
    this.indexing = new Indexing(new Map([['mine', this.definition]]), runtime(new VirtualClock(), this.book.logger))
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
    const surroundings = { resource: {} as never, memo: {}, shared: undefined, logger: this.book.logger, indices: {} }
    return { ...objectView(body, surroundings), indices: this.indexing.views }
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
      runtime(new VirtualClock()),
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
      runtime(new VirtualClock()),
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
  it('without a function is refused, with the line to write', () => {
    expect(() => index('pods', { labels: { a: 'b' } } as never)).toThrow('The index over pods has no function')
  })

  it('is nothing that anybody else makes', () => {
    expect(indexDefinition({})).toBeUndefined()
    expect(indexDefinition(undefined)).toBeUndefined()
  })
})
