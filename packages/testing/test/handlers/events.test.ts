import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

describe('an event handler', () => {
  it('is told every event in order, and what came with the listing without a type', async () => {
    const seen: unknown[] = []
    const op = operator('watcher')
    op.on.event(Kex, ({ type, event, spec, body }) => {
      expect(event.object).toBe(body)
      seen.push([type, spec.field])
    })
    await using t = await harness(op, { resources: [Kex], start: false })
    await t.cluster.create(Kex, sample)
    await t.start()
    await t.settled()
    await t.cluster.create(Kex, { ...sample, metadata: { name: 'b', namespace: 'default' } })
    await t.settled()
    for (const field of ['y', 'z']) await t.cluster.patch(Kex, 'default/a', { spec: { field } })
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    expect(seen).toEqual([
      [null, 'x'],
      ['ADDED', 'x'],
      ['MODIFIED', 'y'],
      ['MODIFIED', 'z'],
      ['DELETED', 'z'],
    ])
  })

  it('leaves no mark on objects, nor touches a finalizer of its own name', async () => {
    const op = operator('watcher')
    op.on.event(Kex, () => {})
    await using t = await harness(op, { resources: [Kex] })
    const finalizers = ['watcher.binnacle.dev/finalizer']
    await t.cluster.create(Kex, { ...sample, metadata: { ...sample.metadata, finalizers } })
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    t.expect.quiet()
    await t.expect.object(Kex, 'default/a', { metadata: { finalizers } })
  })

  it('is called once although it fails, and the others are told all the same', async () => {
    const op = operator('watcher')
    op.on.event(Kex, { id: 'bad' }, () => {
      throw new Error('boom')
    })
    op.on.event(Kex, { id: 'good' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.advance('1h')
    expect(t.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
      ['bad', 'ignored'],
      ['good', 'success'],
    ])
    expect(t.logs.some(({ message }) => message.includes('"bad" (event) failed, which is ignored: boom'))).toBe(true)
  })

  it('has its result and its patch written, beside the changes of other handlers', async () => {
    const op = operator('watcher')
    op.on.event(Kex, { id: 'seen' }, ({ spec, patch }) => {
      patch.status.from = 'event'
      return { field: spec.field }
    })
    op.on.create(Kex, { id: 'made' }, () => ({ by: 'create' }))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.expect.object(Kex, 'default/a', {
      status: { seen: { field: 'x' }, from: 'event', made: { by: 'create' } },
    })
    expect(t.runs.of('made')).toHaveLength(1)
  })

  it('is asked by the present state: labels, field and value', async () => {
    const op = operator('watcher')
    op.on.event(Kex, { id: 'labelled', labels: { app: 'web' } }, () => {})
    op.on.event(Kex, { id: 'valued', field: 'spec.field', value: 'x' }, () => {})
    op.on.event(Kex, { id: 'when', when: ({ type }) => type === 'DELETED' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.cluster.patch(Kex, 'default/a', { metadata: { labels: { app: 'web' } } })
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    t.expect.called('labelled', 3)
    t.expect.called('valued/spec.field', 2)
    t.expect.called('when', 1)
  })
})
