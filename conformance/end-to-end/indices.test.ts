import { index, operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Plain, Widget } from './kinds.ts'
import { PAUSE, stage } from './world.ts'

const { scene } = stage(Widget, Plain)

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec })

describe('an index', () => {
  it('is complete before any handler runs, and follows the objects', async () => {
    await using s = await scene()
    const seen: unknown[] = []
    const op = operator('indexing', {
      indices: { byColour: index(Plain, ({ spec, name }) => ({ [spec.colour]: name })) },
    })
    op.on.create(Widget, ({ byColour }) => void seen.push(byColour.get('red').toArray().sort()))
    for (const name of ['a', 'b', 'c']) await s.client.create(Plain, named(name, { colour: 'red' }))
    await s.client.create(Widget, named('w'))
    const subject = await s.start(op)
    await s.when(() => seen.length === 1)
    expect(seen).toEqual([['a', 'b', 'c']])
    const { byColour } = subject.running.indices as typeof op.indices
    await s.client.patch(Plain, 'a', { spec: { colour: 'blue' } })
    await s.client.delete(Plain, 'b')
    await s.when(() => byColour.get('red').size === 1)
    expect([...byColour].map(([colour, names]) => [colour, names.toArray()]).sort()).toEqual([
      ['blue', ['a']],
      ['red', ['c']],
    ])
  })

  it('of a kind that nothing else reads keeps no bodies, and says so', async () => {
    await using s = await scene()
    const op = operator('frugal', { indices: { names: index(Plain, ({ name }) => name) } })
    op.on.create(Widget, () => {})
    await s.client.create(Plain, named('a'))
    const subject = await s.start(op)
    const figures = subject.running.health().streams.map(({ resource, objects, cache }) => [resource, objects, cache])
    expect(figures).toContainEqual(['plains.e2e.example.com', 1, 'indexed only'])
    expect(figures).toContainEqual(['widgets.e2e.example.com', 0, 'mirrored'])
    expect(subject.running.health().gate).toEqual({ open: true, listed: 1, of: 1, awaited: [] })
  })

  it('is as if built from scratch after the line was cut and objects have come and gone', async () => {
    await using s = await scene()
    const op = operator('robust', { indices: { names: index(Plain, ({ name, spec }) => ({ [name]: spec.n })) } })
    for (const name of ['a', 'b']) await s.client.create(Plain, named(name, { n: 1 }))
    const subject = await s.start(op)
    subject.link.sever()
    await s.client.delete(Plain, 'a')
    await s.client.patch(Plain, 'b', { spec: { n: 2 } })
    await s.client.create(Plain, named('c', { n: 3 }))
    await s.client.delete(Plain, 'c')
    await s.client.create(Plain, named('c', { n: 4 }))
    subject.link.restore()
    const { names } = subject.running.indices as typeof op.indices
    const contents = () => [...names].map(([name, values]) => [name, values.toArray()]).sort()
    const expected = JSON.stringify([
      ['b', [2]],
      ['c', [4]],
    ])
    await s.when(() => JSON.stringify(contents()) === expected)
  })

  it('takes an object back by itself when its exclusion is over', async () => {
    await using s = await scene()
    const retries: number[] = []
    const op = operator('patient', {
      indices: {
        names: index(Plain, ({ name, retry }) => {
          retries.push(retry)
          if (retry < 2) throw new TemporaryError('not yet', { delay: Math.max(1, PAUSE) })
          return name
        }),
      },
    })
    await s.client.create(Plain, named('a'))
    const subject = await s.start(op)
    const { names } = subject.running.indices as typeof op.indices
    expect(names.size).toBe(0)
    await s.when(() => names.get(null).has('a'))
    expect(retries).toEqual([0, 1, 2])
  })
})
