import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness, loseResponse } from '../../src/index.ts'
import { Kex } from '../kex.ts'

const a = { metadata: { name: 'a' }, spec: {} }

function keeper() {
  const op = operator('keeper')
  op.on.create(Kex, { id: 'make' }, ({ patch }) => {
    patch.status.made = true
  })
  op.on.delete(Kex, { id: 'end' }, () => {})
  return op
}

describe('a crash after a chosen request', () => {
  it('happens when the server has carried it out, and before the operator knows', async () => {
    await using t = await harness(keeper(), { resources: [Kex] })
    const crashed = t.crash({ after: { verb: 'patch', resource: Kex, subresource: 'status' } })
    await t.cluster.create(Kex, a)
    await crashed
    await t.settled()
    await t.expect.object(Kex, 'a', { status: { made: true } })
    // What the handler did had arrived, what it had done had not been written down: so it runs once more.
    t.expect.called('make', 2)
    expect(t.timeline).toContain('the operator was killed')
    t.expect.noLeaks()
  })

  it('may be waited for when it is due anyway', async () => {
    await using t = await harness(keeper(), { resources: [Kex] })
    await t.cluster.create(Kex, a)
    await t.settled()
    await t.cluster.delete(Kex, 'a')
    await t.crash({ after: { verb: 'patch', resource: Kex } })
    await t.until(Kex, 'a', (object) => object === undefined)
    expect(t.finalizers.map(({ did }) => did)[0]).toBe('hold')
    t.expect.noLeaks()
  })

  it('concerns requests of this operator only', async () => {
    await using t = await harness(keeper(), { resources: [Kex] })
    const other = operator('other')
    other.on.create(Kex, { id: 'also' }, () => {})
    await t.also(other)
    const crashed = t.crash({ after: { verb: 'patch', resource: Kex }, within: '1m' })
    await t.cluster.create(Kex, a)
    await crashed
    await t.settled()
    expect(t.runs.of('make').length).toBeGreaterThan(0)
    expect(t.timeline).toContain('the operator was killed')
  })
})

it('has the names of the cluster beside its own, so that one import is enough', async () => {
  await using t = await harness(keeper(), { resources: [Kex], seed: 7 })
  t.cluster.faults.once({ verb: 'patch', resource: Kex }, loseResponse())
  await t.cluster.create(Kex, a)
  await t.advance('1m')
  await t.expect.object(Kex, 'a', { status: { made: true } })
  expect(t.seed).toBe(7)
})

it('writes down what was said about objects', async () => {
  const op = operator('teller')
  op.on.create(Kex, ({ events }) => events.info('Made', 'It is made'))
  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, a)
  await t.settled()
  expect(t.events).toMatchObject([
    { type: 'Normal', reason: 'Made', message: 'It is made', about: 'KopfExample default/a' },
  ])
  expect(t.writes.map(({ to }) => to)).toEqual(['object'])
})

it('begins with objects that are there already', async () => {
  const op = operator('reader')
  op.on.create('configmaps', { labels: { app: 'shop' } }, function found() {})
  const shop = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'shop', namespace: 'apps', labels: { app: 'shop' } },
  }
  await using t = await harness(op, { objects: [shop] })
  await t.settled()
  t.expect.called('found', 1, 'apps/shop')
})
