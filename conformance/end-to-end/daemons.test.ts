import { operator, PermanentError, type StopReason, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { finalizerOf, latch, marksOf, PAUSE, stage } from './world.ts'

const { scene } = stage(Widget)

const widget = (name = 'a', labels: { readonly [label: string]: string } = {}) => ({
  metadata: { name, labels },
  spec: {},
})

describe('a daemon', () => {
  it('accompanies an object from its creation to its deletion, and holds it until it has ended', async () => {
    await using s = await scene()
    const story: string[] = []
    const goodbye = latch()
    const op = operator('companion')
    op.daemon(Widget, async function accompany({ name, stopped }) {
      story.push(`hello ${name}`)
      await stopped.wait()
      story.push(`asked to go: ${stopped.reason?.why}, ${stopped.reason?.stage}`)
      await goodbye.opened
      story.push('gone')
    })
    await s.start(op)
    await s.client.create(Widget, widget())
    await s.when(() => story.length === 1)
    const held = await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers !== undefined)
    expect(held.metadata.finalizers).toEqual([finalizerOf('companion')])
    expect(marksOf('companion', held)).toEqual({})
    await s.client.delete(Widget, 'a')
    await s.when(() => story.length === 2)
    await s.settled()
    expect(await s.client.find(Widget, 'a')).toBeDefined()
    goodbye.open()
    await s.untilGone(Widget, 'a')
    expect(story).toEqual(['hello a', 'asked to go: resource-deleted, signalled', 'gone'])
  })

  it('starts for objects that were there before the operator, and again after a restart', async () => {
    await using s = await scene()
    const starts: string[] = []
    const op = operator('returning')
    op.daemon(Widget, { id: 'wait' }, async ({ name, stopped }) => {
      starts.push(name)
      await stopped.wait()
    })
    await s.client.create(Widget, widget())
    const subject = await s.start(op)
    await s.when(() => starts.length === 1)
    await subject.restart()
    await s.when(() => starts.length === 2)
    expect(subject.running.health().background).toEqual({ running: 1, stopping: 0, abandoned: 0 })
  })

  it('sees the newest state of the object through what it has destructured', async () => {
    await using s = await scene()
    const seen: unknown[] = []
    const op = operator('observant')
    op.daemon(Widget, async ({ spec, body, labels, stopped }) => {
      while (!(await stopped.wait(PAUSE))) seen.push([spec.field, body.spec.field, labels['of'], { ...spec }])
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a', labels: { of: 'glass' } }, spec: { field: 'x' } })
    await s.when(() => seen.length > 0)
    await s.client.patch(Widget, 'a', { metadata: { labels: { of: 'wood' } }, spec: { field: 'y' } })
    await s.when(() => JSON.stringify(seen.at(-1))?.includes('wood') ?? false)
    expect(seen[0]).toEqual(['x', 'x', 'glass', { field: 'x' }])
    expect(seen.at(-1)).toEqual(['y', 'y', 'wood', { field: 'y' }])
  })

  it('that ends by itself leaves its result, lets go of the object, and is not started again', async () => {
    await using s = await scene()
    const op = operator('brief')
    op.daemon(Widget, { id: 'once', labels: { run: 'yes' } }, ({ patch }) => {
      patch.status.extra = 'written'
      return { finished: true }
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget('a', { run: 'yes' }))
    const { status } = await s.until(Widget, 'a', ({ status, metadata }) => status?.once && !metadata.finalizers)
    expect(status).toEqual({ once: { finished: true }, extra: 'written' })
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'no' } } })
    await s.settled()
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'yes' } } })
    await s.settled()
    expect(subject.runs.of('once')).toHaveLength(1)
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
  })

  it('is called again after an error, counting the attempts, until it fails for good', async () => {
    await using s = await scene()
    const retries: number[] = []
    const op = operator('stubborn')
    op.daemon(Widget, { id: 'fails', backoff: PAUSE, labels: { run: 'yes' } }, ({ retry }) => {
      retries.push(retry)
      if (retry < 1) throw new TemporaryError('not yet', { delay: PAUSE })
      if (retry < 2) throw new Error('unforeseen')
      throw new PermanentError('never')
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget('a', { run: 'yes' }))
    await s.when(() => subject.runs.some(({ outcome }) => outcome === 'permanent'))
    expect(retries).toEqual([0, 1, 2])
    expect(subject.runs.map(({ outcome }) => outcome)).toEqual(['temporary', 'temporary', 'permanent'])
    await s.client.patch(Widget, 'a', { spec: { field: 'changed' } })
    await s.settled()
    expect(retries).toHaveLength(3)
    // A failure for good is forgotten when the filters stop and start to match.
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'no' } } })
    await s.settled()
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'yes' } } })
    await s.when(() => retries.length === 6)
  })

  it('is stopped when its filters do not match any more, and started when they match again', async () => {
    await using s = await scene()
    const story: string[] = []
    const op = operator('choosy')
    op.daemon(
      Widget,
      { id: 'chosen', labels: { run: 'yes' }, when: ({ name }) => name === 'a' },
      async ({ stopped }) => {
        story.push('started')
        await stopped.wait()
        story.push(`stopped: ${stopped.reason?.why}`)
      },
    )
    await s.start(op)
    await s.client.create(Widget, widget('a'))
    await s.client.create(Widget, widget('b', { run: 'yes' }))
    await s.settled()
    expect(story).toEqual([])
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'yes' } } })
    await s.when(() => story.length === 1)
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: null } } })
    await s.until(Widget, 'a', ({ metadata }) => !metadata.finalizers)
    expect(story).toEqual(['started', 'stopped: filters-mismatch'])
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'yes' } } })
    await s.when(() => story.length === 3)
  })

  it('that was asked to stop is not started a second time before it has ended', async () => {
    await using s = await scene()
    let running = 0
    let most = 0
    const goodbye = latch()
    const op = operator('slow')
    op.daemon(Widget, { id: 'slow', labels: { run: 'yes' } }, async ({ stopped }) => {
      most = Math.max(most, ++running)
      await stopped.wait()
      await goodbye.opened
      running--
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget('a', { run: 'yes' }))
    await s.when(() => running === 1)
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: null } } })
    await s.when(() => subject.running.health().background.stopping === 1)
    await s.client.patch(Widget, 'a', { metadata: { labels: { run: 'yes' } } })
    await s.settled()
    expect(subject.runs.of('slow')).toHaveLength(1)
    goodbye.open()
    await s.when(() => subject.runs.of('slow').length === 2)
    expect(most).toBe(1)
  })

  it('without a finalizer writes nothing, and is stopped when the object has vanished', async () => {
    await using s = await scene()
    const reasons: (StopReason | undefined)[] = []
    const op = operator('light')
    op.daemon(Widget, { id: 'light', finalizer: false }, async ({ stopped }) => {
      await stopped.wait()
      reasons.push(stopped.reason)
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget())
    await s.when(() => subject.runs.length === 1)
    await s.settled()
    expect(subject.ledger.writes).toEqual([])
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    await s.when(() => reasons.length === 1)
    expect(reasons[0]?.why).toBe('resource-deleted')
  })

  it('is stopped when somebody takes the finalizer away and the object vanishes without a warning', async () => {
    await using s = await scene()
    const reasons: (string | undefined)[] = []
    const op = operator('robbed')
    op.daemon(Widget, { id: 'held' }, async ({ stopped }) => {
      await stopped.wait()
      reasons.push(stopped.reason?.why)
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget())
    await s.when(() => subject.runs.length === 1)
    subject.link.sever()
    await s.client.patch(Widget, 'a', { metadata: { finalizers: null } })
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    subject.link.restore()
    await s.when(() => reasons.length === 1)
    expect(reasons).toEqual(['resource-deleted'])
    expect(subject.running.health().background).toEqual({ running: 0, stopping: 0, abandoned: 0 })
  })

  it('does not keep a delete handler from running, nor has it called twice', async () => {
    await using s = await scene()
    const goodbye = latch()
    const op = operator('both')
    op.daemon(Widget, { id: 'slow' }, async ({ stopped }) => {
      await stopped.wait()
      await goodbye.opened
    })
    op.on.delete(Widget, { id: 'cleanup' }, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, widget())
    await s.when(() => subject.runs.of('slow').length === 1)
    await s.client.delete(Widget, 'a')
    await s.when(() => subject.runs.of('cleanup').length === 1)
    await s.settled()
    await s.client.patch(Widget, 'a', { metadata: { annotations: { touched: 'yes' } } })
    await s.settled()
    expect(await s.client.find(Widget, 'a')).toBeDefined()
    goodbye.open()
    await s.untilGone(Widget, 'a')
    expect(subject.runs.of('cleanup')).toHaveLength(1)
  })

  it('is asked to stop when the operator exits, and the object stays as it is', async () => {
    await using s = await scene()
    const reasons: (string | undefined)[] = []
    const op = operator('leaving')
    op.daemon(Widget, { id: 'wait' }, async ({ stopped }) => {
      await stopped.wait()
      reasons.push(stopped.reason?.why)
      return { left: true }
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget())
    await s.when(() => subject.runs.length === 1)
    await subject.stop()
    expect(reasons).toEqual(['operator-exiting'])
    const left = await s.until(Widget, 'a', ({ status }) => status?.wait !== undefined)
    expect(left.metadata.finalizers).toEqual([finalizerOf('leaving')])
  })
})
