import { operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { items: ['item1', 'item2'] } }
const marks = (body: { readonly metadata: { readonly annotations?: object } }) =>
  Object.keys(body.metadata.annotations ?? {})
    .map((key) => key.replace('steps.binnacle.dev/', ''))
    .sort()

describe('a step', () => {
  it('that is not awaited runs after its handler, in the same cycle', async () => {
    const order: string[] = []
    const op = operator('steps')
    op.on.create(Kex, function make({ spec, step }) {
      for (const item of spec.items) void step(item, () => void order.push(item))
      order.push('make')
      return 'made'
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(order).toEqual(['make', 'item1', 'item2'])
    expect(t.runs.map(({ handler, outcome }) => [handler, outcome]).sort()).toEqual([
      ['make', 'success'],
      ['make/item1', 'success'],
      ['make/item2', 'success'],
    ])
    const object = await t.cluster.get(Kex, 'default/a')
    expect(marks(object)).toEqual(['last-handled-configuration'])
    expect(object.status).toEqual({ make: 'made' })
  })

  it('that is awaited gives its result, also in later attempts of its handler, without being done again', async () => {
    const volumes: unknown[] = []
    const op = operator('steps')
    op.on.create(Kex, { id: 'make', backoff: 10 }, async ({ step, retry }) => {
      const volume = await step('volume', async () => ({ name: `volume-${volumes.length}` }))
      expectTypeOf(volume).toEqualTypeOf<{ name: string }>()
      volumes.push(volume)
      if (retry < 2) throw new Error('later')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(marks(await t.cluster.get(Kex, 'default/a'))).toHaveLength(2)
    await t.advance('1m')
    t.expect.called('make/volume', 1)
    expect(volumes).toEqual([{ name: 'volume-0' }, { name: 'volume-0' }, { name: 'volume-0' }])
    const object = await t.cluster.get(Kex, 'default/a')
    expect(object.status).toEqual({ 'make/volume': { name: 'volume-0' } })
    expect(marks(object)).toEqual(['last-handled-configuration'])
  })

  it('that fails temporarily ends the handler, which comes back when the step is due, and passes over what is done', async () => {
    const op = operator('steps')
    let reached = 0
    op.on.create(Kex, { id: 'make' }, async ({ step }) => {
      await step('first', () => {})
      await step('second', ({ retry }) => {
        if (retry < 2) throw new TemporaryError('not yet', { delay: 30 })
      })
      reached++
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    t.expect.called('make', 1)
    await t.advance('29s')
    t.expect.called('make', 1)
    await t.advance('2m')
    t.expect.called('make/first', 1)
    t.expect.called('make/second', 3)
    expect(t.runs.of('make').map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'success'])
    expect(reached).toBe(1)
  })

  it('does not use up the attempts of its parent: a parent with two attempts has four steps that fail (Kopf fails it)', async () => {
    const op = operator('steps')
    op.on.create(Kex, { id: 'make', retries: 2 }, ({ step, retry }) => {
      for (const name of ['a', 'b', 'c', 'd']) {
        void step(name, (inner) => {
          if (inner.retry < 3) throw new TemporaryError('not yet', { delay: 10 })
        })
      }
      return { retry }
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.advance('5m')
    expect((await t.cluster.get(Kex, 'default/a')).status).toEqual({ make: { retry: 0 } })
    for (const name of ['a', 'b', 'c', 'd']) t.expect.called(`make/${name}`, 4)
  })

  it('goes on after a crash where it was', async () => {
    const op = operator('steps')
    op.on.create(Kex, { id: 'make' }, async ({ step }) => {
      await step('first', () => 1)
      await step('second', ({ retry }) => {
        if (retry < 1) throw new TemporaryError('not yet', { delay: '10m' })
      })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.crash()
    await t.advance('11m')
    t.expect.called('make/first', 1)
    t.expect.called('make/second', 2)
    expect(marks(await t.cluster.get(Kex, 'default/a'))).toEqual(['last-handled-configuration'])
  })

  it('may have steps itself, to any depth', async () => {
    const op = operator('steps')
    op.on.create(Kex, { id: 'make' }, async ({ step }) => {
      const sum = await step('outer', async (outer) => {
        const one = await outer.step('inner', ({ step: deeper }) => deeper('core', () => 1))
        return one + 1
      })
      return { sum }
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(t.runs.map(({ handler }) => handler)).toEqual([
      'make',
      'make/outer',
      'make/outer/inner',
      'make/outer/inner/core',
    ])
    expect((await t.cluster.get(Kex, 'default/a')).status.make).toEqual({ sum: 2 })
  })

  it('is waited for although its handler did not wait for it', async () => {
    const op = operator('steps')
    op.on.create(Kex, { id: 'make' }, async ({ step, client }) => {
      await Promise.all([
        step('bad', () => {
          throw new TemporaryError('not yet', { delay: '1h' })
        }),
        step('slow', async () => {
          await client.list(Kex)
          return 'done'
        }),
      ])
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(t.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
      ['make', 'waiting'],
      ['make/bad', 'temporary'],
      ['make/slow', 'success'],
    ])
    await t.advance('61m')
    t.expect.called('make/slow', 1)
  })

  it('that fails for good fails the handler that awaits it, unless the handler sees to it', async () => {
    const op = operator('steps')
    const never = () => {
      throw new PermanentError('never')
    }
    op.on.create(Kex, { id: 'strict' }, async ({ step }) => {
      await step('x', never)
    })
    op.on.create(Kex, { id: 'lenient' }, async ({ step }) => {
      const answer = await step('x', never).then(
        () => 'yes',
        () => 'no',
      )
      return answer
    })
    op.on.create(Kex, { id: 'careless' }, ({ step }) => {
      void step('x', never)
      return 'fine'
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(t.runs.of('strict')[0]?.outcome).toBe('permanent')
    expect((await t.cluster.get(Kex, 'default/a')).status).toEqual({ lenient: 'no', careless: 'fine' })
  })

  it('has filters of its own', async () => {
    const op = operator('steps')
    op.on.update(Kex, { id: 'changed' }, async ({ step }) => {
      void step('color', { field: 'spec.color', new: 'red' }, () => {})
      const size = await step('size', { field: 'spec.size' }, ({ current }) => current)
      return { size: size ?? null }
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { color: 'red' } })
    await t.settled()
    t.expect.called('changed/color', 1)
    t.expect.called('changed/size', 0)
    await t.cluster.patch(Kex, 'default/a', { spec: { color: 'blue', size: 3 } })
    await t.settled()
    t.expect.called('changed/color', 1)
    t.expect.called('changed/size', 1)
    expect((await t.cluster.get(Kex, 'default/a')).status.changed).toEqual({ size: 3 })
  })

  it('runs again for a newer state, and what a superseded cause has left of it goes', async () => {
    const op = operator('steps')
    op.on.create(Kex, { id: 'make' }, async ({ step }) => {
      await step('done', () => {})
      await step('stuck', () => {
        throw new TemporaryError('never yet', { delay: '1h' })
      })
    })
    op.on.delete(Kex, { id: 'gone' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    const finalizers = ['example.com/hold']
    await t.cluster.create(Kex, { ...sample, metadata: { ...sample.metadata, finalizers } })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { items: [] } })
    await t.advance('61m')
    t.expect.called('make/done', 2)
    expect(marks(await t.cluster.get(Kex, 'default/a')).some((mark) => mark.includes('make.done'))).toBe(true)
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    expect(marks(await t.cluster.get(Kex, 'default/a'))).toEqual([])
  })

  it('is refused without a name of its own, with the line to write', async () => {
    const op = operator('steps')
    op.on.create(Kex, { id: 'make', errors: 'permanent' }, ({ step }) => {
      void step('x', () => {})
      void step('x', () => {})
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(String(t.runs.of('make')[0]?.error)).toContain('Handler "make" has two steps "x"')
    t.expect.called('make/x', 0)
  })

  it('ends with its handler when the time of the handler is over', async () => {
    const op = operator('steps')
    let aborted = false
    op.on.create(Kex, { id: 'make', timeout: 5 }, async ({ step }) => {
      await step('endless', ({ signal }) => {
        return new Promise<void>(() => signal.addEventListener('abort', () => (aborted = true)))
      })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.advance('6s')
    expect(aborted).toBe(true)
    expect(t.runs.of('make')[0]?.outcome).toBe('permanent')
  })
})
