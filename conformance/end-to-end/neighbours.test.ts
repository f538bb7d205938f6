import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { finalizerOf, isHandledBy, marksOf, PAUSE, type Scene, stage } from './world.ts'

const { scene } = stage(Widget)

/** An operator that handles everything, and writes to the status under its own name. */
function resident(name: string) {
  const op = operator(name)
  op.on.create(Widget, { id: 'create', result: `status.${name}` }, ({ spec }) => spec.field)
  op.on.update(Widget, { id: 'update', result: `status.${name}` }, ({ spec }) => spec.field)
  op.on.delete(Widget, () => {})
  return op
}

async function both(s: Scene) {
  const one = await s.start(resident('one'))
  const two = await s.start(resident('two'))
  await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
  await s.until(Widget, 'a', isHandledBy('one'))
  await s.until(Widget, 'a', isHandledBy('two'))
  return { one, two }
}

describe('two operators with different names on one kind', () => {
  it('each run their handlers once, and each leave their own marks', async () => {
    await using s = await scene()
    const { one, two } = await both(s)
    await s.settled()
    const object = await s.client.get(Widget, 'a')
    expect(object.metadata.finalizers?.toSorted()).toEqual([finalizerOf('one'), finalizerOf('two')])
    expect(Object.keys(marksOf('one', object))).toEqual(['last-handled-configuration'])
    expect(marksOf('two', object)).toEqual(marksOf('one', object))
    expect(object.status).toEqual({ one: 'x', two: 'x' })
    await s.client.patch(Widget, 'a', { spec: { field: 'y' } })
    await s.until(Widget, 'a', ({ status }) => status.one === 'y' && status.two === 'y')
    await s.settled()
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    await s.settled()
    for (const { runs } of [one, two]) {
      expect(runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
        ['create', 'success'],
        ['update', 'success'],
        ['delete', 'success'],
      ])
    }
  })

  it('do not release what the other holds', async () => {
    await using s = await scene()
    const { one, two } = await both(s)
    await two.stop()
    await s.client.delete(Widget, 'a')
    await s.until(Widget, 'a', ({ metadata }) => String(metadata.finalizers) === finalizerOf('two'))
    await s.settled()
    expect(one.runs.of('delete')).toHaveLength(1)
    expect(two.runs.of('delete')).toHaveLength(0)
    await two.start()
    await s.untilGone(Widget, 'a')
    expect(two.runs.of('delete')).toHaveLength(1)
  })

  it('do not take the retries of the other for changes', async () => {
    await using s = await scene()
    const flaky = operator('one')
    flaky.on.create(Widget, ({ retry }) => {
      if (retry < 2) throw new TemporaryError('not yet', { delay: PAUSE })
    })
    const one = await s.start(flaky)
    const two = await s.start(resident('two'))
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    await s.until(Widget, 'a', isHandledBy('one'))
    await s.until(Widget, 'a', isHandledBy('two'))
    await s.settled()
    expect(one.runs).toHaveLength(3)
    expect(two.runs.map(({ handler }) => handler)).toEqual(['create'])
  })

  it('do not take the marks of the other for content, whatever domains they are named after', async () => {
    await using s = await scene()
    const operators = ['ops.acme.io', 'backups.example.org'].map((name) => {
      const op = operator(name)
      op.on.create(Widget, ({ retry }) => {
        if (retry < 1) throw new TemporaryError('not yet', { delay: PAUSE })
      })
      op.on.update(Widget, () => {})
      return op
    })
    const subjects = await Promise.all(operators.map((op) => s.start(op)))
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    const { metadata } = await s.until(
      Widget,
      'a',
      (object) =>
        Object.keys(object.metadata.annotations ?? {})
          .join()
          .split('last-handled').length === 3,
    )
    await s.settled()
    for (const { runs } of subjects) expect(runs.map(({ handler }) => handler)).toEqual(['create', 'create'])
    for (const state of Object.values(metadata.annotations ?? {}))
      expect(JSON.parse(state)).toEqual({ spec: { field: 'x' } })
  })

  it('see what the other writes into the content', async () => {
    await using s = await scene()
    const writer = operator('one')
    writer.on.create(Widget, ({ patch }) => {
      patch.metadata.labels['by'] = 'one'
    })
    const reader = operator('two')
    const seen: unknown[] = []
    reader.on.create(Widget, { labels: { by: 'one' } }, ({ labels }) => void seen.push(labels['by']))
    await s.start(writer)
    await s.start(reader)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('two'))
    expect(seen).toEqual(['one'])
  })
})

describe('one operator that runs twice in one process', () => {
  it('in two namespaces has two lives that know nothing of each other', async () => {
    await using north = await scene()
    await using south = await scene()
    const made: string[] = []
    const op = operator('twin', { memo: () => ({ calls: 0 }) })
    op.on.create(Widget, ({ memo, namespace, name }) => {
      memo.calls++
      made.push(`${namespace}/${name} ${memo.calls}`)
    })
    const one = await north.start(op)
    const two = await south.start(op)
    for (const s of [north, south]) await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await north.until(Widget, 'a', isHandledBy('twin'))
    await south.until(Widget, 'a', isHandledBy('twin'))
    expect(made.toSorted()).toEqual([`${north.namespace}/a 1`, `${south.namespace}/a 1`].sort())
    await one.stop()
    await south.client.create(Widget, { metadata: { name: 'b' }, spec: {} })
    await south.until(Widget, 'b', isHandledBy('twin'))
    expect(two.runs).toHaveLength(2)
    expect(one.runs).toHaveLength(1)
  })
})
