import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

describe('a resume handler', () => {
  it('runs once for each object and process, for objects that were handled before', async () => {
    const op = operator('resumes')
    const reasons: string[] = []
    op.on.create(Kex, () => {})
    op.on.resume(Kex, function back({ reason }) {
      reasons.push(reason)
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    t.expect.called('back', 0)
    await t.restart()
    await t.settled()
    t.expect.called('back', 1)
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.settled()
    t.expect.called('back', 1)
    await t.restart()
    await t.settled()
    t.expect.called('back', 2)
    expect(reasons).toEqual(['resume', 'resume'])
  })

  it('never mixes with creation', async () => {
    const op = operator('resumes')
    op.on.create(Kex, { id: 'made' }, () => {})
    op.on.resume(Kex, { id: 'back' }, () => {})
    await using t = await harness(op, { resources: [Kex], start: false })
    await t.cluster.create(Kex, sample)
    await t.start()
    await t.settled()
    t.expect.called('made', 1)
    t.expect.called('back', 0)
  })

  it('joins an update that happened while the operator was away, and sees its reason', async () => {
    const seen: unknown[] = []
    const op = operator('resumes')
    op.on.update(Kex, { id: 'changed' }, () => {})
    op.on.resume(Kex, { id: 'back' }, ({ reason, old, current }) => {
      seen.push([reason, old?.spec.field, current.spec.field])
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.stop()
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.start()
    await t.settled()
    t.expect.called('changed', 1)
    expect(seen).toEqual([['update', 'x', 'y']])
  })

  it('joins a deletion only if it says so', async () => {
    const op = operator('resumes')
    op.on.delete(Kex, { id: 'gone' }, () => {})
    op.on.resume(Kex, { id: 'alive' }, () => {})
    op.on.resume(Kex, { id: 'whatever', deleted: true }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.stop()
    await t.cluster.delete(Kex, 'default/a')
    await t.start()
    await t.settled()
    t.expect.called('gone', 1)
    t.expect.called('alive', 0)
    t.expect.called('whatever', 1)
    await t.expect.object(Kex, 'default/a', undefined)
  })

  it('is tried again like any other, and its progress goes when it has succeeded', async () => {
    const op = operator('resumes')
    op.on.resume(Kex, { id: 'back' }, ({ retry }) => {
      if (retry < 2) throw new TemporaryError('not yet', { delay: 30 })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.restart()
    await t.settled()
    t.expect.called('back', 1)
    await t.advance('2m')
    expect(t.runs.of('back').map(({ outcome }) => outcome)).toEqual(['temporary', 'temporary', 'success'])
    const { metadata } = await t.cluster.get(Kex, 'default/a')
    expect(Object.keys(metadata.annotations ?? {})).toEqual(['resumes.binnacle.dev/last-handled-configuration'])
  })

  it('runs anew in the next process although it had finished beside one that was still retrying', async () => {
    const op = operator('resumes')
    op.on.resume(Kex, { id: 'first' }, () => {})
    op.on.resume(Kex, { id: 'second' }, () => {
      throw new TemporaryError('not yet', { delay: '1h' })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.restart()
    await t.settled()
    t.expect.called('first', 1)
    await t.restart()
    await t.settled()
    t.expect.called('first', 2)
  })

  it('and a create handler that are one function are called once', async () => {
    const op = operator('resumes')
    const both = () => {}
    op.on.create(Kex, { id: 'both' }, both)
    op.on.resume(Kex, { id: 'both' }, both)
    op.on.update(Kex, { id: 'both' }, both)
    await using t = await harness(op, { resources: [Kex], start: false })
    await t.cluster.create(Kex, sample)
    await t.start()
    await t.settled()
    t.expect.called('both', 1)
    await t.stop()
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.start()
    await t.settled()
    t.expect.called('both', 2)
  })
})
