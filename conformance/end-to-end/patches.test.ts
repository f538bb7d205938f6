import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { isHandledBy, latch, PAUSE, stage } from './world.ts'

const { scene } = stage(Widget)

describe('what handlers write', () => {
  it('arrives in one request to the object and one to its status', async () => {
    await using s = await scene()
    const op = operator('writer')
    op.on.create(Widget, { id: 'one' }, ({ patch }) => {
      patch.spec.added = 1
      patch.metadata.labels['tier'] = 'web'
      patch.meta.annotations['example.com/note'] = 'n'
      patch.status.phase = 'Ready'
    })
    op.on.create(Widget, { id: 'two' }, ({ patch }) => {
      patch.merge({ spec: { deep: { er: true } }, status: { count: 2 } })
      return 'result'
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { kept: true } })
    const object = await s.until(Widget, 'a', ({ metadata }) => metadata.labels !== undefined)
    expect(object.spec).toEqual({ kept: true, added: 1, deep: { er: true } })
    expect(object.metadata.labels).toEqual({ tier: 'web' })
    expect(object.metadata.annotations).toMatchObject({ 'example.com/note': 'n' })
    expect(object.status).toEqual({ phase: 'Ready', count: 2, two: 'result' })
    await s.settled()
    // The third records that the operator's own change has been handled, by nobody.
    expect(subject.ledger.writes.map(({ to }) => to)).toEqual(['status', 'object', 'object'])
  })

  it('takes away what it sets to null, and leaves everything else alone', async () => {
    await using s = await scene()
    const op = operator('eraser')
    op.on.create(Widget, ({ patch }) => {
      patch.spec.gone = null
      patch.metadata.labels['gone'] = null
      patch.metadata.labels['never-there'] = null
    })
    await s.start(op)
    await s.client.create(Widget, {
      metadata: { name: 'a', labels: { gone: 'x', kept: 'y' } },
      spec: { gone: { all: 1 }, kept: 2 },
    })
    const object = await s.until(Widget, 'a', ({ spec }) => !('gone' in spec))
    expect(object.spec).toEqual({ kept: 2 })
    expect(object.metadata.labels).toEqual({ kept: 'y' })
  })

  it('does not undo what somebody else writes at the same time', async () => {
    await using s = await scene()
    const running = latch()
    const go = latch()
    const op = operator('polite')
    op.on.create(Widget, async ({ patch }) => {
      running.open()
      await go.opened
      patch.spec.mine = 1
      patch.metadata.labels['mine'] = 'yes'
      patch.status.mine = 1
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await running.opened
    await s.client.patch(Widget, 'a', { metadata: { labels: { theirs: 'yes' } }, spec: { theirs: 2 } })
    await s.client.patch(Widget, 'a', { status: { theirs: 2 } }, { subresource: 'status' })
    go.open()
    const object = await s.until(Widget, 'a', ({ spec }) => spec.mine === 1)
    expect(object.spec).toEqual({ mine: 1, theirs: 2 })
    expect(object.metadata.labels).toEqual({ mine: 'yes', theirs: 'yes' })
    expect(object.status).toEqual({ mine: 1, theirs: 2 })
  })

  it('can depend on what is there: an edit sees the freshest state, and runs again on conflict', async () => {
    await using s = await scene()
    const op = operator('editor')
    op.on.create(Widget, async ({ client, name, patch }) => {
      await client.patch(Widget, name, { spec: { items: ['theirs'] } })
      patch.edit((draft) => {
        draft['spec'].items = [...draft['spec'].items, 'mine']
      })
      patch.edit((draft) => {
        draft['status'] = { ...draft['status'], edited: true }
      })
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { items: ['first'] } })
    const { spec, status } = await s.until(Widget, 'a', isHandledBy('editor'))
    expect(spec.items).toEqual(['theirs', 'mine'])
    expect(status).toEqual({ edited: true })
  })

  it('is a change like any other for update handlers, once', async () => {
    await using s = await scene()
    const seen: unknown[] = []
    const op = operator('echo')
    op.on.create(Widget, ({ patch }) => {
      patch.spec.mine = 1
    })
    op.on.update(Widget, ({ diff }) => {
      seen.push(diff.map(({ op: change, path }) => `${change} ${path.join('.')}`))
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.when(() => seen.length > 0)
    await s.until(Widget, 'a', isHandledBy('echo'))
    await s.settled()
    expect(seen).toEqual([['add spec.mine']])
  })

  it('arrives although the attempt has failed', async () => {
    await using s = await scene()
    const op = operator('trying')
    op.on.create(Widget, ({ retry, patch }) => {
      patch.status[`try${retry}`] = true
      if (retry === 0) throw new TemporaryError('not yet', { delay: PAUSE })
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const { status } = await s.until(Widget, 'a', isHandledBy('trying'))
    expect(status).toEqual({ try0: true, try1: true })
  })

  it('reaches an object that is being deleted before it goes', async () => {
    await using s = await scene()
    const op = operator('last-words')
    op.on.delete(Widget, ({ patch }) => {
      patch.status.phase = 'Leaving'
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a', finalizers: ['example.com/hold'] }, spec: {} })
    await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers?.length === 2)
    await s.client.delete(Widget, 'a')
    const { status } = await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers?.length === 1)
    expect(status).toEqual({ phase: 'Leaving' })
  })
})

describe('what handlers return', () => {
  it('goes to the status under their id, elsewhere if they say so, or nowhere', async () => {
    await using s = await scene()
    const op = operator('results')
    op.on.create(Widget, function named() {
      return { answer: 42 }
    })
    op.on.create(Widget, { id: 'redirected', result: 'status.children.here' }, () => ['a', 'b'])
    op.on.create(Widget, { id: 'silent', result: false }, () => 'unheard')
    op.on.create(Widget, { id: 'empty' }, () => null)
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const { status } = await s.until(Widget, 'a', isHandledBy('results'))
    expect(status).toEqual({ named: { answer: 42 }, children: { here: ['a', 'b'] } })
    expect(subject.runs.of('silent').map(({ result }) => result)).toEqual(['unheard'])
  })

  it('takes the place of what they returned before', async () => {
    await using s = await scene()
    const op = operator('results')
    op.on.update(Widget, { id: 'shape' }, ({ spec }) => spec.shape)
    op.on.create(Widget, () => {})
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('results'))
    for (const shape of [{ round: true }, 'square', ['a', 'list']]) {
      await s.client.patch(Widget, 'a', { spec: { shape } })
      await s.until(Widget, 'a', isHandledBy('results'))
      const { status } = await s.client.get(Widget, 'a')
      expect(status.shape).toEqual(shape)
    }
  })
})
