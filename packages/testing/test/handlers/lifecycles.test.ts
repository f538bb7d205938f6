import { type Lifecycle, operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: {} }

/** Three handlers of which the first fails twice; which of them ran, and the patches that it took. */
async function story(lifecycle: Lifecycle | undefined): Promise<{ readonly order: string[]; readonly writes: number }> {
  const order: string[] = []
  const op = operator('turns', lifecycle === undefined ? {} : { settings: { execution: { lifecycle } } })
  op.on.create(Kex, { id: 'one', backoff: 0 }, ({ retry }) => {
    order.push(`one ${retry}`)
    if (retry < 2) throw new TemporaryError('again', { delay: 0 })
  })
  op.on.create(Kex, { id: 'two' }, () => void order.push('two'))
  op.on.create(Kex, { id: 'three' }, () => void order.push('three'))
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, sample)
  await t.settled()
  const writes = t.cluster.requests.filter(({ verb }) => verb === 'patch').length
  return { order, writes }
}

describe('the lifecycle', () => {
  it('is by default that all handlers that are due run in one cycle, with one patch', async () => {
    expect(await story(undefined)).toEqual({ order: ['one 0', 'two', 'three', 'one 1', 'one 2'], writes: 3 })
  })

  it('oneByOne finishes the first handler before the next one begins', async () => {
    expect(await story('oneByOne')).toEqual({ order: ['one 0', 'one 1', 'one 2', 'two', 'three'], writes: 5 })
  })

  it('asap prefers those that have been tried least', async () => {
    expect((await story('asap')).order).toEqual(['one 0', 'two', 'three', 'one 1', 'one 2'])
  })

  it.each(['randomized', 'shuffled'] as const)('%s leaves nothing out', async (lifecycle) => {
    expect([...(await story(lifecycle)).order].sort()).toEqual(['one 0', 'one 1', 'one 2', 'three', 'two'])
  })

  it('may be a function', async () => {
    const last: Lifecycle = (due) => due.slice(-1)
    expect((await story(last)).order).toEqual(['three', 'two', 'one 0', 'one 1', 'one 2'])
  })

  it('counts for steps that are not awaited, too', async () => {
    const order: string[] = []
    const op = operator('turns', { settings: { execution: { lifecycle: 'oneByOne' } } })
    op.on.create(Kex, { id: 'parent' }, async ({ step }) => {
      order.push('parent')
      step('a', () => void order.push('a'))
      step('b', () => void order.push('b'))
      await step('awaited', () => void order.push('awaited'))
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(order).toEqual(['parent', 'awaited', 'a', 'parent', 'b'])
  })

  it('that chooses nobody is an error which is tried again, and no loop', async () => {
    const op = operator('turns', { settings: { execution: { lifecycle: () => [] } } })
    op.on.create(Kex, { id: 'one' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(t.logs.filter(({ level }) => level === 'error')).toHaveLength(1)
    t.expect.called('one', 0)
  })
})
