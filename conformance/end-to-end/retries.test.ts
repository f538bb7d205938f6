import { HandlerRetriesError, HandlerTimeoutError, operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { isHandledBy, latch, marksOf, PAUSE, stage } from './world.ts'

const { scene } = stage(Widget)

/** Further away than any test waits, in all worlds. */
const NEVER = '7d'

describe('a handler that fails and then succeeds', () => {
  it.each([
    ['an error that names its delay', {}, () => new TemporaryError('not yet', { delay: PAUSE })],
    ['any error, after the backoff', { backoff: PAUSE }, () => new Error('not yet')],
    ['any error, after a backoff that it chooses', { backoff: () => PAUSE }, () => new Error('not yet')],
  ])('is tried again after %s, and its progress is on the object in between', async (_, options, failure) => {
    await using s = await scene()
    const progress: (string | undefined)[] = []
    const starts: number[] = []
    const op = operator('stubborn')
    op.on.create(Widget, { id: 'flaky', ...options }, ({ body, retry, started }) => {
      progress.push(marksOf('stubborn', body)['progress.flaky'])
      starts.push(started.getTime())
      if (retry < 2) throw failure()
      return { retry }
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const done = await s.until(Widget, 'a', isHandledBy('stubborn'))
    expect(done.status).toEqual({ flaky: { retry: 2 } })
    expect(Object.keys(marksOf('stubborn', done))).toEqual(['last-handled-configuration'])
    await s.settled()
    expect(subject.runs.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [0, 'temporary'],
      [1, 'temporary'],
      [2, 'success'],
    ])
    expect(progress.map((text) => text && JSON.parse(text))).toMatchObject([
      undefined,
      { retries: 1, success: false, failure: false, message: 'not yet' },
      { retries: 2, success: false, failure: false, message: 'not yet' },
    ])
    expect(new Set(starts).size).toBe(1)
    const times = subject.runs.map(({ at }) => at.getTime())
    for (const [i, time] of times.slice(1).entries())
      expect(time - (times[i] ?? 0)).toBeGreaterThanOrEqual(PAUSE * 1000)
  })

  it('does not keep the others from running, nor makes them run again', async () => {
    await using s = await scene()
    const op = operator('mixed')
    op.on.create(Widget, { id: 'before' }, () => 'b')
    op.on.create(Widget, { id: 'flaky' }, ({ retry }) => {
      if (retry < 2) throw new TemporaryError('not yet', { delay: PAUSE })
      return 'f'
    })
    op.on.create(Widget, { id: 'after' }, () => 'a')
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    const { status } = await s.until(Widget, 'a', isHandledBy('mixed'))
    expect(status).toEqual({ before: 'b', flaky: 'f', after: 'a' })
    await s.settled()
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['before', 'flaky', 'after', 'flaky', 'flaky'])
  })

  it('keeps a deletion waiting', async () => {
    await using s = await scene()
    const op = operator('reluctant')
    op.on.delete(Widget, ({ retry }) => {
      if (retry < 2) throw new TemporaryError('not yet', { delay: PAUSE })
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers !== undefined)
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    await s.settled()
    expect(subject.runs.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [0, 'temporary'],
      [1, 'temporary'],
      [2, 'success'],
    ])
  })
})

describe('a handler that fails for good', () => {
  it('is not tried again, and the object counts as handled', async () => {
    await using s = await scene()
    const op = operator('hopeless')
    op.on.create(Widget, { id: 'doomed' }, () => {
      throw new PermanentError('never')
    })
    op.on.create(Widget, { id: 'strict', errors: 'permanent' }, () => {
      throw new Error('never')
    })
    op.on.create(Widget, { id: 'careless', errors: 'ignored' }, () => {
      throw new Error('whatever')
    })
    op.on.update(Widget, () => 'updated')
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('hopeless'))
    await s.pass(PAUSE)
    await s.client.patch(Widget, 'a', { spec: { field: 'y' } })
    await s.until(Widget, 'a', ({ status }) => status?.update === 'updated')
    await s.settled()
    expect(subject.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
      ['doomed', 'permanent'],
      ['strict', 'permanent'],
      ['careless', 'ignored'],
      ['update', 'success'],
    ])
  })

  it('lets a deleted object go', async () => {
    await using s = await scene()
    const op = operator('hopeless')
    op.on.delete(Widget, () => {
      throw new PermanentError('never')
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers !== undefined)
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    expect(subject.runs.map(({ outcome }) => outcome)).toEqual(['permanent'])
  })

  it('has used up its retries', async () => {
    await using s = await scene()
    const op = operator('counted')
    op.on.create(Widget, { id: 'flaky', retries: 3, backoff: PAUSE }, ({ retry }) => {
      throw new Error(`failure ${retry}`)
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('counted'))
    await s.settled()
    expect(subject.runs.map(({ outcome }) => outcome)).toEqual(['temporary', 'temporary', 'permanent'])
    const last = subject.runs.at(-1)?.error
    expect(last).toBeInstanceOf(HandlerRetriesError)
    expect((last as Error).cause).toEqual(new Error('failure 2'))
  })

  it('has used up its time: its signal is aborted, and what it returns or assigns after that is dropped', async () => {
    await using s = await scene()
    const late = latch()
    const reasons: unknown[] = []
    const op = operator('timed')
    op.on.create(Widget, { id: 'slow', timeout: PAUSE }, async ({ signal, patch }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      reasons.push(signal.reason)
      await late.opened
      patch.status.late = true
      return 'too late'
    })
    op.on.create(Widget, { id: 'next' }, async () => {
      late.open() // The one that was given up goes on beside this one, in the same cycle.
      await new Promise((resolve) => setImmediate(resolve))
      return 'ran'
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('timed'))
    await s.settled()
    expect(reasons).toEqual([expect.any(HandlerTimeoutError)])
    expect(subject.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
      ['slow', 'permanent'],
      ['next', 'success'],
    ])
    expect((await s.client.get(Widget, 'a')).status).toEqual({ next: 'ran' })
  })

  it('has used up its time over several attempts', async () => {
    await using s = await scene()
    const op = operator('timed')
    op.on.create(Widget, { id: 'flaky', timeout: PAUSE * 3.5, backoff: PAUSE }, () => {
      throw new Error('not yet')
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('timed'))
    await s.settled()
    expect(subject.runs.length).toBeGreaterThan(1)
    expect(subject.runs.length).toBeLessThan(5)
    expect(subject.runs.at(-1)?.error).toBeInstanceOf(HandlerTimeoutError)
  })
})

describe('a change made while a handler is retrying', () => {
  it('is seen by those that had finished with the older state, too', async () => {
    await using s = await scene()
    const seen: string[] = []
    let healthy = false
    const op = operator('keen')
    op.on.create(Widget, () => {})
    op.on.update(Widget, { id: 'steady' }, ({ spec }) => {
      seen.push(`steady ${spec.field}`)
    })
    op.on.update(Widget, { id: 'flaky' }, ({ spec, old }) => {
      if (!healthy) throw new TemporaryError('not yet', { delay: PAUSE })
      seen.push(`flaky ${old?.['spec'].field} to ${spec.field}`)
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    await s.until(Widget, 'a', isHandledBy('keen'))
    await s.client.patch(Widget, 'a', { spec: { field: 'y' } })
    await s.until(Widget, 'a', (object) => 'progress.steady' in marksOf('keen', object))
    await s.client.patch(Widget, 'a', { spec: { field: 'z' } })
    await s.when(() => seen.includes('steady z'))
    healthy = true
    const done = await s.until(Widget, 'a', (object) => !('progress.flaky' in marksOf('keen', object)))
    expect(JSON.parse(marksOf('keen', done)['last-handled-configuration'] ?? '')).toEqual({ spec: { field: 'z' } })
    await s.settled()
    expect(seen).toEqual(['steady y', 'steady z', 'flaky x to z'])
    expect(subject.runs.of('steady')).toHaveLength(2)
  })

  it('is not lost when it takes back what others have acted on', async () => {
    await using s = await scene()
    const acted: unknown[] = []
    let failing = true
    const op = operator('undone')
    op.on.update(Widget, { id: 'fine' }, ({ current }) => void acted.push(current.spec.size))
    op.on.update(Widget, { id: 'slow' }, () => {
      if (failing) throw new TemporaryError('not yet', { delay: PAUSE })
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { size: 1 } })
    await s.until(Widget, 'a', isHandledBy('undone'))
    await s.client.patch(Widget, 'a', { spec: { size: 2 } })
    await s.until(Widget, 'a', (widget) => marksOf('undone', widget)['progress.slow'] !== undefined)
    await s.client.patch(Widget, 'a', { spec: { size: 1 } })
    await s.until(Widget, 'a', () => acted.length === 2)
    failing = false
    await s.until(Widget, 'a', (widget) => marksOf('undone', widget)['progress.slow'] === undefined)
    expect(acted).toEqual([2, 1])
  })

  it('is part of the creation that is still going on', async () => {
    await using s = await scene()
    const seen: string[] = []
    let healthy = false
    const op = operator('keen')
    op.on.create(Widget, { id: 'steady' }, ({ spec }) => {
      seen.push(`steady ${spec.field}`)
    })
    op.on.create(Widget, { id: 'flaky' }, ({ spec }) => {
      if (!healthy) throw new TemporaryError('not yet', { delay: PAUSE })
      seen.push(`flaky ${spec.field}`)
    })
    op.on.update(Widget, () => {
      seen.push('update')
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    await s.until(Widget, 'a', (object) => 'progress.steady' in marksOf('keen', object))
    await s.client.patch(Widget, 'a', { spec: { field: 'y' } })
    await s.when(() => seen.includes('steady y'))
    healthy = true
    await s.until(Widget, 'a', isHandledBy('keen'))
    await s.settled()
    expect(seen).toEqual(['steady x', 'steady y', 'flaky y'])
  })

  it('and while a handler runs is handled after it', async () => {
    await using s = await scene()
    const running = latch()
    const go = latch()
    const seen: string[] = []
    const op = operator('busy')
    op.on.create(Widget, async ({ spec }) => {
      seen.push(`create ${spec.field}`)
      running.open()
      await go.opened
    })
    op.on.update(Widget, ({ old, current }) => {
      seen.push(`update ${old?.['spec'].field} to ${current['spec'].field}`)
    })
    await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'x' } })
    await running.opened
    await s.client.patch(Widget, 'a', { spec: { field: 'y' } })
    await s.pass(PAUSE)
    go.open()
    await s.when(() => seen.length === 2)
    await s.settled()
    expect(seen).toEqual(['create x', 'update x to y'])
  })
})

describe('a deletion', () => {
  it('takes the place of a creation that is being retried', async () => {
    await using s = await scene()
    const op = operator('torn')
    op.on.create(Widget, () => {
      throw new TemporaryError('not yet', { delay: NEVER })
    })
    op.on.delete(Widget, ({ retry }) => ({ retry }))
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', (object) => 'progress.create' in marksOf('torn', object))
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    await s.settled()
    expect(subject.runs.map(({ handler, attempt, outcome }) => [handler, attempt, outcome])).toEqual([
      ['create', 0, 'temporary'],
      ['delete', 0, 'success'],
    ])
  })

  it('waits for the handler that runs', async () => {
    await using s = await scene()
    const running = latch()
    const go = latch()
    const op = operator('torn')
    op.on.create(Widget, async () => {
      running.open()
      await go.opened
      return 'done'
    })
    op.on.delete(Widget, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await running.opened
    await s.client.delete(Widget, 'a')
    await s.pass(PAUSE)
    expect(subject.runs.map(({ outcome }) => outcome)).toEqual(['running'])
    go.open()
    await s.untilGone(Widget, 'a')
    await s.settled()
    expect(subject.runs.map(({ handler, outcome }) => [handler, outcome])).toEqual([
      ['create', 'success'],
      ['delete', 'success'],
    ])
  })

  it('and a new object of the same name, while a handler runs, are told apart', async () => {
    await using s = await scene()
    const running = latch()
    const go = latch()
    const op = operator('namesakes')
    op.on.create(Widget, async ({ uid, spec, patch }) => {
      patch.status.uid = uid
      if (spec.field !== 'first') return
      running.open()
      await go.opened
      patch.status.first = true
    })
    const subject = await s.start(op)
    const first = await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'first' } })
    await running.opened
    await s.client.delete(Widget, 'a')
    const second = await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'second' } })
    await s.until(Widget, 'a', isHandledBy('namesakes'))
    go.open()
    await s.settled()
    expect((await s.client.get(Widget, 'a')).status).toEqual({ uid: second.metadata.uid })
    expect(subject.runs.map(({ uid, outcome }) => [uid, outcome])).toEqual([
      [first.metadata.uid, 'success'],
      [second.metadata.uid, 'success'],
    ])
  })
})
