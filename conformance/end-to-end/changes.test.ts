import { operator, ownerReference } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { finalizerOf, isHandledBy, marksOf, stage } from './world.ts'

const { scene } = stage(Widget)

describe('a new object', () => {
  it('is handled once, and what the handler wrote and returned is in its status', async () => {
    await using s = await scene()
    const op = operator('greeter')
    op.on.create(Widget, function greet({ name, namespace, old, diff, spec, reason, retry, patch }) {
      patch.status.greeting = `Hello, ${name}!`
      return { reason, retry, namespace, field: spec.field, old: old ?? 'none', diff: diff.map((item) => item.op) }
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    const { status } = await s.until(Widget, 'a', isHandledBy('greeter'))
    expect(status).toEqual({
      greeting: 'Hello, a!',
      greet: { reason: 'create', retry: 0, namespace: s.namespace, field: 'x', old: 'none', diff: ['add'] },
    })
    await s.settled()
    expect(subject.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([['greet', 'success']])
  })

  it('is handled although it was there before the operator', async () => {
    await using s = await scene()
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const op = operator('late')
    op.on.create(Widget, () => 'done')
    const subject = await s.start(op)
    await s.until(Widget, 'a', ({ status }) => status?.create === 'done')
    await s.settled()
    expect(subject.runs).toHaveLength(1)
  })

  it('is not handled again by the next run of the operator', async () => {
    await using s = await scene()
    const op = operator('once')
    op.on.create(Widget, () => 'done')
    op.on.update(Widget, () => 'changed')
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const handled = await s.until(Widget, 'a', isHandledBy('once'))
    await subject.restart()
    await s.settled()
    expect(subject.runs).toHaveLength(1)
    expect((await s.client.get(Widget, 'a')).metadata.resourceVersion).toBe(handled.metadata.resourceVersion)
  })

  it('is not marked beyond what its handlers need', async () => {
    await using s = await scene()
    const op = operator('modest')
    op.on.create(Widget, () => {})
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const { metadata, ...body } = await s.until(
      Widget,
      'a',
      (object) => Object.keys(marksOf('modest', object)).length > 0,
    )
    expect(Object.keys(metadata.annotations ?? {})).toEqual(['modest.binnacle.dev/last-handled-configuration'])
    expect(metadata.finalizers).toBeUndefined()
    expect(body).not.toHaveProperty('status')
  })
})

describe('a changed object', () => {
  interface Seen {
    readonly old: unknown
    readonly current: unknown
    readonly diff: unknown
  }

  /** An operator that writes down what its update handler gets, on an object that it has handled already. */
  async function watched(s: Awaited<ReturnType<typeof scene>>, body: object) {
    const seen: Seen[] = []
    const op = operator('watcher')
    op.on.create(Widget, () => {})
    op.on.update(Widget, (context) => {
      expect(context.new).toBe(context.current)
      seen.push({ old: context.old, current: context.current, diff: [...context.diff] })
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, ...body } as never)
    await s.until(Widget, 'a', isHandledBy('watcher'))
    return { seen, subject }
  }

  it('comes with what it was, what it is and the difference, time after time', async () => {
    await using s = await scene()
    const { seen } = await watched(s, { spec: { field: 'x', other: 1, list: [1, 2] } })
    await s.client.patch(Widget, 'a', { spec: { field: 'y', list: [1, 2, 3] } })
    await s.when(() => seen.length === 1)
    expect(seen[0]).toEqual({
      old: { spec: { field: 'x', other: 1, list: [1, 2] } },
      current: { spec: { field: 'y', other: 1, list: [1, 2, 3] } },
      diff: [
        { op: 'change', path: ['spec', 'field'], old: 'x', new: 'y' },
        { op: 'change', path: ['spec', 'list'], old: [1, 2], new: [1, 2, 3] },
      ],
    })
    await s.client.patch(Widget, 'a', { spec: { field: null, fresh: { deep: true } } })
    await s.when(() => seen.length === 2)
    expect(seen[1]).toEqual({
      old: { spec: { field: 'y', other: 1, list: [1, 2, 3] } },
      current: { spec: { other: 1, list: [1, 2, 3], fresh: { deep: true } } },
      diff: [
        { op: 'remove', path: ['spec', 'field'], old: 'y', new: undefined },
        { op: 'add', path: ['spec', 'fresh'], old: undefined, new: { deep: true } },
      ],
    })
    await s.settled()
    expect(seen).toHaveLength(2)
  })

  it('is one whose labels or annotations have changed', async () => {
    await using s = await scene()
    const { seen } = await watched(s, { spec: {} })
    await s.client.patch(Widget, 'a', { metadata: { labels: { tier: 'web' } } })
    await s.when(() => seen.length === 1)
    expect(seen[0]?.diff).toEqual([{ op: 'add', path: ['metadata'], old: undefined, new: { labels: { tier: 'web' } } }])
    await s.client.patch(Widget, 'a', { metadata: { annotations: { 'example.com/note': 'n' } } })
    await s.when(() => seen.length === 2)
    expect(seen[1]?.diff).toEqual([
      { op: 'add', path: ['metadata', 'annotations'], old: undefined, new: { 'example.com/note': 'n' } },
    ])
    await s.client.patch(Widget, 'a', { metadata: { labels: { tier: null } } })
    await s.when(() => seen.length === 3)
    expect(seen[2]?.diff).toEqual([
      { op: 'remove', path: ['metadata', 'labels'], old: { tier: 'web' }, new: undefined },
    ])
  })

  it('is not one whose status alone has changed, nor its finalizers or owners', async () => {
    await using s = await scene()
    const { seen } = await watched(s, { spec: {} })
    await s.client.patch(Widget, 'a', { status: { ready: true } }, { subresource: 'status' })
    await s.client.patch(Widget, 'a', { metadata: { finalizers: ['example.com/hold'] } })
    const owner = await s.client.create('configmaps', { metadata: { name: 'owner' } })
    await s.client.patch(Widget, 'a', { metadata: { ownerReferences: [ownerReference(owner)] } })
    await s.settled()
    await s.client.patch(Widget, 'a', { spec: { field: 'at last' } })
    await s.when(() => seen.length > 0)
    await s.settled()
    expect(seen.map(({ diff }) => diff)).toEqual([
      [{ op: 'add', path: ['spec', 'field'], old: undefined, new: 'at last' }],
    ])
  })

  it('is handled once when several changes came while the operator was down', async () => {
    await using s = await scene()
    const { seen, subject } = await watched(s, { spec: { field: 'x' } })
    await subject.stop()
    for (const field of ['y', 'z']) await s.client.patch(Widget, 'a', { spec: { field } })
    await subject.start()
    await s.when(() => seen.length > 0)
    await s.settled()
    expect(seen.map(({ diff }) => diff)).toEqual([[{ op: 'change', path: ['spec', 'field'], old: 'x', new: 'z' }]])
  })

  it('that was changed back while the operator was down is not handled', async () => {
    await using s = await scene()
    const { seen, subject } = await watched(s, { spec: { field: 'x' } })
    await subject.stop()
    for (const field of ['y', 'x']) await s.client.patch(Widget, 'a', { spec: { field } })
    await subject.start()
    await s.settled()
    expect(seen).toEqual([])
  })

  it('shows a handler of one field that field only, and only when it has changed', async () => {
    await using s = await scene()
    const op = operator('fielder')
    op.on.create(Widget, () => {})
    op.on.update(Widget, { field: 'spec.size', id: 'resize', old: 1 }, ({ old, current, diff }) => ({
      old,
      current,
      diff: diff.map(({ op: change, path }) => `${change} ${path.join('.')}`),
    }))
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { size: 1 } })
    await s.until(Widget, 'a', isHandledBy('fielder'))
    await s.client.patch(Widget, 'a', { spec: { other: true } })
    await s.until(Widget, 'a', isHandledBy('fielder'))
    await s.client.patch(Widget, 'a', { spec: { size: 2 } })
    const { status } = await s.until(Widget, 'a', (object) => object.status !== undefined)
    expect(status).toEqual({ 'resize/spec.size': { old: 1, current: 2, diff: ['change '] } })
    await s.client.patch(Widget, 'a', { spec: { size: 3 } })
    await s.settled()
    expect(subject.runs.of('resize/spec.size')).toHaveLength(1)
  })
})

describe('a deleted object', () => {
  it('waits for its delete handler, and is gone after it', async () => {
    await using s = await scene()
    const told: string[] = []
    const op = operator('undertaker')
    op.on.create(Widget, ({ meta }) => {
      told.push(`create, held by ${meta.finalizers}`)
    })
    op.on.delete(Widget, async ({ name, client, reason, spec, meta }) => {
      const there = await client.find(Widget, name)
      told.push(
        `${reason} ${spec.field}, there: ${there !== undefined}, marked: ${meta.deletionTimestamp !== undefined}`,
      )
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    await s.until(Widget, 'a', isHandledBy('undertaker'))
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    await s.settled()
    expect(told).toEqual([`create, held by ${finalizerOf('undertaker')}`, 'delete x, there: true, marked: true'])
    expect(subject.running.activity()).toEqual([])
  })

  it('is told of once although a finalizer of somebody else keeps it', async () => {
    await using s = await scene()
    const op = operator('released')
    op.on.delete(Widget, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a', finalizers: ['example.com/hold'] }, spec: {} })
    await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers?.includes(finalizerOf('released')) === true)
    await s.client.delete(Widget, 'a')
    await s.until(Widget, 'a', ({ metadata }) => String(metadata.finalizers) === 'example.com/hold')
    await s.client.patch(Widget, 'a', { metadata: { labels: { touched: 'yes' } } })
    await s.settled()
    await s.client.patch(Widget, 'a', { metadata: { finalizers: null } })
    await s.untilGone(Widget, 'a')
    await s.settled()
    expect(subject.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([['delete', 'success']])
  })

  it('is noticed at the next start if it was deleted while the operator was down', async () => {
    await using s = await scene()
    const op = operator('sleeper')
    op.on.create(Widget, () => {})
    op.on.delete(Widget, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('sleeper'))
    await subject.stop()
    await s.client.delete(Widget, 'a')
    expect(await s.client.find(Widget, 'a')).toBeDefined()
    await subject.start()
    await s.untilGone(Widget, 'a')
    expect(subject.runs.of('delete')).toHaveLength(1)
  })

  it('that nobody held is told to an optional handler only', async () => {
    await using s = await scene()
    const op = operator('easy')
    op.on.create(Widget, () => {})
    op.on.delete(Widget, { optional: true, id: 'farewell' }, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const { metadata } = await s.until(Widget, 'a', isHandledBy('easy'))
    expect(metadata.finalizers).toBeUndefined()
    await s.client.delete(Widget, 'a')
    await s.when(() => subject.runs.of('farewell').length > 0)
    await s.settled()
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['create', 'farewell'])
  })
})
