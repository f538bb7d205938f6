import { ABSENT, operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x', items: [1] } }

describe('a field handler', () => {
  it('runs at creation with `old` undefined, and at each change of its field alone', async () => {
    const seen: unknown[] = []
    const op = operator('fields')
    op.on.field(Kex, { field: 'spec.field' }, function moved({ reason, old, current, diff }) {
      seen.push([reason, old, current, diff.map(({ op }) => op)])
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { items: [2] } })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { field: null } })
    await t.settled()
    expect(seen).toEqual([
      ['create', undefined, 'x', ['add']],
      ['update', 'x', 'y', ['change']],
      ['update', 'y', undefined, ['remove']],
    ])
    t.expect.called('moved/spec.field', 3)
  })

  it('does not run at the creation of an object without the field, but puts it in scope', async () => {
    const op = operator('fields')
    op.on.field(Kex, { field: 'spec.nothing' }, function keepInScope() {})
    op.on.update(Kex, { id: 'noticed', labels: { app: 'web' } }, () => {})
    op.on.create(Kex, { id: 'made', labels: { app: 'web' } }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(t.runs).toHaveLength(0)
    await t.cluster.patch(Kex, 'default/a', { metadata: { labels: { app: 'web' } } })
    await t.settled()
    t.expect.called('made', 0)
    t.expect.called('noticed', 1)
  })

  it('looks at each side by itself', async () => {
    const op = operator('fields')
    op.on.field(Kex, { id: 'appeared', field: 'spec.field', old: ABSENT }, () => {})
    op.on.field(Kex, { id: 'reached', field: 'spec.field', new: 'y' }, () => {})
    op.on.field(Kex, { id: 'touched', field: 'spec.field', value: 'y' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    for (const field of ['y', 'z']) {
      await t.cluster.patch(Kex, 'default/a', { spec: { field } })
      await t.settled()
    }
    expect(t.runs.map(({ handler }) => handler)).toEqual([
      'appeared/spec.field',
      'reached/spec.field',
      'touched/spec.field',
      'touched/spec.field',
    ])
  })

  it('follows a field of the status, which then is content', async () => {
    const seen: unknown[] = []
    const op = operator('fields')
    op.on.field(Kex, { field: 'status.phase' }, ({ old, current }) => {
      seen.push([old, current])
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { status: { phase: 'Ready', noise: 1 } }, { subresource: 'status' })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { status: { noise: 2 } }, { subresource: 'status' })
    await t.settled()
    expect(seen).toEqual([[undefined, 'Ready']])
  })
})
