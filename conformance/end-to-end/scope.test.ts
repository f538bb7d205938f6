import { operator, PRESENT } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Globe, Plain, Widget } from './kinds.ts'
import { finalizerOf, isHandledBy, marksOf, stage } from './world.ts'

const { scene } = stage(Widget, Plain, Globe)

describe('an object that no handler cares for', () => {
  it('gets no mark at all', async () => {
    await using s = await scene()
    const op = operator('choosy')
    op.on.create(Widget, { labels: { care: 'yes' } }, () => {})
    op.on.update(Widget, { id: 'update', when: ({ spec }) => spec.care === true }, () => {})
    op.on.delete(Widget, { annotations: { 'example.com/care': PRESENT } }, () => {})
    const subject = await s.start(op)
    const created = await s.client.create(Widget, { metadata: { name: 'a', labels: { care: 'no' } }, spec: {} })
    await s.client.create(Widget, { metadata: { name: 'b', labels: { care: 'yes' } }, spec: {} })
    await s.until(Widget, 'b', isHandledBy('choosy'))
    await s.settled()
    const left = await s.client.get(Widget, 'a')
    expect(left.metadata.resourceVersion).toBe(created.metadata.resourceVersion)
    expect(subject.runs.map(({ object }) => object)).toEqual([`Widget ${s.namespace}/b`])
    await s.client.delete(Widget, 'a')
    expect(await s.client.find(Widget, 'a')).toBeUndefined()
  })

  it('is let go when it cares no more', async () => {
    await using s = await scene()
    const op = operator('choosy')
    op.on.delete(Widget, { labels: { care: 'yes' } }, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a', labels: { care: 'yes' } }, spec: {} })
    await s.until(Widget, 'a', ({ metadata }) => String(metadata.finalizers) === finalizerOf('choosy'))
    await s.client.patch(Widget, 'a', { metadata: { labels: { care: null } } })
    await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers === undefined)
    await s.client.delete(Widget, 'a')
    expect(await s.client.find(Widget, 'a')).toBeUndefined()
    await s.settled()
    expect(subject.runs).toHaveLength(0)
  })

  it('may lie in another namespace', async () => {
    await using s = await scene()
    await using other = await scene()
    const op = operator('local')
    op.on.create(Widget, () => {})
    const subject = await s.start(op)
    const created = await other.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('local'))
    await s.settled()
    expect(await other.client.get(Widget, 'a')).toEqual(created)
    expect(subject.runs).toHaveLength(1)
  })
})

describe('a kind', () => {
  it('without a status subresource keeps its status all the same', async () => {
    await using s = await scene()
    const op = operator('plain')
    op.on.create(Plain, ({ patch }) => {
      patch.status.phase = 'Ready'
      return 'result'
    })
    op.on.update(Plain, ({ diff }) => ({ changes: diff.length }))
    op.on.delete(Plain, () => {})
    const subject = await s.start(op)
    await s.client.create(Plain, { metadata: { name: 'a' }, spec: {} })
    const { status } = await s.until(Plain, 'a', isHandledBy('plain'))
    expect(status).toEqual({ phase: 'Ready', create: 'result' })
    await s.client.patch(Plain, 'a', { status: { phase: 'Other' } })
    await s.client.patch(Plain, 'a', { spec: { field: 'y' } })
    const changed = await s.until(
      Plain,
      'a',
      (object) => isHandledBy('plain')(object) && object.status?.update !== undefined,
    )
    expect(changed.status).toEqual({ phase: 'Other', create: 'result', update: { changes: 1 } })
    await s.client.delete(Plain, 'a')
    await s.untilGone(Plain, 'a')
    await s.settled()
    expect(subject.ledger.writes.every(({ to }) => to === 'object')).toBe(true)
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['create', 'update', 'delete'])
  })

  it('of cluster scope is handled whichever namespaces the operator is limited to', async () => {
    await using s = await scene()
    const name = s.unique('globe')
    const mine = { labels: { scene: s.namespace } }
    const op = operator('global')
    op.on.create(Globe, mine, ({ namespace, name: its }) => `${namespace} ${its}`)
    op.on.update(Globe, { ...mine, id: 'update' }, ({ spec }) => spec.field)
    op.on.delete(Globe, mine, () => {})
    const subject = await s.start(op)
    await s.client.create(Globe, { metadata: { name, labels: { scene: s.namespace } }, spec: {} })
    const created = await s.untilCluster(Globe, name, isHandledBy('global'))
    expect(created.status).toEqual({ create: `undefined ${name}` })
    expect(created.metadata.finalizers).toEqual([finalizerOf('global')])
    await s.client.patch(Globe, name, { spec: { field: 'y' } })
    await s.untilCluster(Globe, name, ({ status }) => status?.update === 'y')
    await s.client.delete(Globe, name)
    await s.when(async () => (await s.client.find(Globe, name)) === undefined)
    expect(subject.runs.map(({ handler, object }) => [handler, object])).toEqual(
      ['create', 'update', 'delete'].map((handler) => [handler, `Globe ${name}`]),
    )
  })

  it('of Kubernetes itself is handled by its name, and its data can be written', async () => {
    await using s = await scene()
    const op = operator('maps')
    const seen: unknown[] = []
    op.on.create('configmaps', { labels: { mine: 'yes' } }, ({ body, patch }) => {
      patch.data['length'] = String(body.data?.['text']?.length)
      patch.data['junk'] = null
    })
    op.on.update(
      'configmaps',
      { labels: { mine: 'yes' }, field: 'data.text', id: 'update' },
      ({ old, current, patch }) => {
        seen.push([old, current])
        patch.data['length'] = String(String(current).length)
      },
    )
    op.on.delete('configmaps', { labels: { mine: 'yes' } }, () => {})
    const subject = await s.start(op)
    await s.client.create('configmaps', {
      metadata: { name: 'a', labels: { mine: 'yes' } },
      data: { text: 'hello', junk: 'x' },
    })
    await s.client.create('configmaps', { metadata: { name: 'b' }, data: { text: 'not mine' } })
    const created = await s.until('configmaps', 'a', ({ data }) => data?.['length'] !== undefined)
    expect(created.data).toEqual({ text: 'hello', length: '5' })
    await s.client.patch('configmaps', 'a', { data: { text: 'hello you' } })
    await s.until('configmaps', 'a', ({ data }) => data?.['length'] === '9')
    expect(seen).toEqual([['hello', 'hello you']])
    await s.client.delete('configmaps', 'a')
    await s.untilGone('configmaps', 'a')
    await s.settled()
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['create', 'update/data.text', 'delete'])
    expect(marksOf('maps', await s.client.get('configmaps', 'b'))).toEqual({})
  })

  it('is one of several that one operator handles', async () => {
    await using s = await scene()
    const op = operator('several')
    op.on.create(Widget, async ({ client, name, adopt }) => {
      await client.create(Plain, adopt({ metadata: { name: `${name}-child` }, spec: {} }))
    })
    op.on.create(Plain, ({ meta }) => meta.ownerReferences?.[0]?.kind ?? null)
    await s.start(op)
    const owner = await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const child = await s.until(Plain, 'a-child', isHandledBy('several'))
    expect(child.status).toEqual({ create: 'Widget' })
    expect(child.metadata.ownerReferences?.[0]).toMatchObject({ uid: owner.metadata.uid, controller: true })
  })
})
