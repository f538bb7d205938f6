import { index, operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { isHandledBy, latch, marksOf, PAUSE, type Scene, stage } from './world.ts'

const { scene } = stage(Widget)

/** No test waits for a grace of this length; a handler that ends within it is waited for. */
const LONG_GRACE = { process: { exitGrace: PAUSE * 20 } }
const SHORT_GRACE = { process: { exitGrace: PAUSE } }

/** An operator with one handler that has finished and one that will not succeed before it is told to. */
async function halfway(s: Scene) {
  let healthy = false
  const op = operator('halfway')
  op.on.create(Widget, { id: 'first' }, () => 'done')
  op.on.create(Widget, { id: 'second' }, ({ retry }) => {
    if (!healthy) throw new TemporaryError('not yet', { delay: PAUSE })
    return { retry }
  })
  const subject = await s.start(op)
  await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
  await s.until(Widget, 'a', (object) => 'progress.second' in marksOf('halfway', object))
  const heal = () => {
    healthy = true
  }
  return { subject, heal }
}

describe('an operator that ends in the middle of a cause', () => {
  it('does not run finished handlers again when it was stopped, but goes on with the others', async () => {
    await using s = await scene()
    const { subject, heal } = await halfway(s)
    await subject.stop()
    const before = subject.runs.of('second').length
    heal()
    await subject.start()
    const { status } = await s.until(Widget, 'a', isHandledBy('halfway'))
    await s.settled()
    expect(status).toEqual({ first: 'done', second: { retry: before } })
    expect(subject.runs.of('first')).toHaveLength(1)
    expect(subject.runs.of('second')).toHaveLength(before + 1)
  })

  it('does the same when it was killed', async () => {
    await using s = await scene()
    const { subject, heal } = await halfway(s)
    heal()
    await subject.crash()
    const { status } = await s.until(Widget, 'a', isHandledBy('halfway'))
    await s.settled()
    expect(status).toMatchObject({ first: 'done', second: { retry: expect.any(Number) } })
    expect(subject.runs.of('first')).toHaveLength(1)
    expect(subject.runs.of('second').at(-1)?.outcome).toBe('success')
  })

  it('goes on with a deletion', async () => {
    await using s = await scene()
    let healthy = false
    const op = operator('halfway')
    op.on.delete(Widget, { id: 'first' }, () => {})
    op.on.delete(Widget, { id: 'second' }, () => {
      if (!healthy) throw new TemporaryError('not yet', { delay: PAUSE })
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.until(Widget, 'a', ({ metadata }) => metadata.finalizers !== undefined)
    await s.client.delete(Widget, 'a')
    await s.until(Widget, 'a', (object) => 'progress.second' in marksOf('halfway', object))
    await subject.stop()
    healthy = true
    await subject.start()
    await s.untilGone(Widget, 'a')
    await s.settled()
    expect(subject.runs.of('first')).toHaveLength(1)
    expect(subject.runs.of('second').at(-1)?.outcome).toBe('success')
  })

  it('runs a handler again whose outcome never reached the server', async () => {
    await using s = await scene()
    const op = operator('unlucky')
    let lost = false
    op.on.create(Widget, ({ retry }) => {
      if (!lost) subject.link.sever()
      lost = true
      return { retry }
    })
    const subject = s.add(op, { settings: SHORT_GRACE })
    await subject.start()
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.when(() => lost)
    await subject.crash()
    const { status } = await s.until(Widget, 'a', isHandledBy('unlucky'))
    expect(status).toEqual({ create: { retry: 0 } })
    expect(subject.runs).toHaveLength(2)
  })
})

describe('a stop', () => {
  it('waits for the handler that runs, and writes its outcome', async () => {
    await using s = await scene()
    const running = latch()
    const op = operator('patient')
    op.on.create(Widget, async ({ signal }) => {
      running.open()
      await s.world.clock.sleep(PAUSE, signal)
      return 'done'
    })
    const subject = await s.start(op, { settings: LONG_GRACE })
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await running.opened
    await subject.stop()
    const object = await s.client.get(Widget, 'a')
    expect(object.status).toEqual({ create: 'done' })
    expect(isHandledBy('patient')(object)).toBe(true)
    await subject.start()
    await s.settled()
    expect(subject.runs).toHaveLength(1)
  })

  it('lets no further handler begin, and keeps what was finished', async () => {
    await using s = await scene()
    const running = latch()
    const op = operator('patient')
    op.on.create(Widget, { id: 'first' }, async ({ signal }) => {
      running.open()
      await s.world.clock.sleep(PAUSE, signal)
      return 'done'
    })
    op.on.create(Widget, { id: 'second' }, () => 'done')
    const subject = await s.start(op, { settings: LONG_GRACE })
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await running.opened
    await subject.stop()
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['first'])
    expect((await s.client.get(Widget, 'a')).status).toEqual({ first: 'done' })
    await subject.start()
    await s.until(Widget, 'a', isHandledBy('patient'))
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['first', 'second'])
  })

  it('interrupts a handler that ignores everything when its grace is over, and runs it again at the next start', async () => {
    await using s = await scene()
    const running = latch()
    const signals: AbortSignal[] = []
    const op = operator('impatient')
    op.on.create(Widget, { id: 'first' }, () => 'done')
    op.on.create(Widget, { id: 'deaf' }, ({ signal, retry }) => {
      signals.push(signal)
      if (signals.length > 1) return { retry }
      running.open()
      return new Promise(() => {})
    })
    const subject = await s.start(op, { settings: SHORT_GRACE })
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await running.opened
    await subject.stop()
    expect(subject.runs.of('deaf').map(({ outcome }) => outcome)).toEqual(['interrupted'])
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
    expect((await s.client.get(Widget, 'a')).status).toEqual({ first: 'done' })
    await subject.start()
    const { status } = await s.until(Widget, 'a', isHandledBy('impatient'))
    expect(status).toEqual({ first: 'done', deaf: { retry: 0 } })
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['first', 'deaf', 'deaf'])
  })
})

describe('an object that vanished', () => {
  it('while the operator was down and nobody held it is not heard of again, and a namesake is new', async () => {
    await using s = await scene()
    const op = operator('forgetful', {
      indices: { names: index(Widget, ({ name, uid }) => ({ [name]: uid })) },
    })
    const memories: unknown[] = []
    op.on.create(Widget, ({ uid, memo, spec }) => {
      memories.push({ ...memo })
      memo['seen'] = uid
      return { field: spec.field }
    })
    op.on.update(Widget, () => {})
    op.on.delete(Widget, { optional: true }, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'old' } })
    await s.client.create(Widget, { metadata: { name: 'b' }, spec: {} })
    await s.until(Widget, 'a', isHandledBy('forgetful'))
    await s.until(Widget, 'b', isHandledBy('forgetful'))
    await subject.stop()
    await s.client.delete(Widget, 'a')
    expect(await s.client.find(Widget, 'a')).toBeUndefined()
    await subject.start()
    await s.settled()
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['create', 'create'])
    expect([...(subject.running.indices as typeof op.indices).names.keys()]).toEqual(['b'])
    const anew = await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'new' } })
    const { status } = await s.until(Widget, 'a', isHandledBy('forgetful'))
    await s.settled()
    expect(status).toEqual({ create: { field: 'new' } })
    expect(subject.runs.map(({ handler }) => handler)).toEqual(['create', 'create', 'create'])
    expect(subject.runs.at(-1)?.uid).toBe(anew.metadata.uid)
    expect(memories).toEqual([{}, {}, {}])
  })

  it('and came back under its name while the operator was down is new', async () => {
    await using s = await scene()
    const op = operator('forgetful')
    op.on.create(Widget, ({ spec }) => ({ field: spec.field }))
    op.on.update(Widget, () => 'changed')
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'old' } })
    await s.until(Widget, 'a', isHandledBy('forgetful'))
    await subject.stop()
    await s.client.delete(Widget, 'a')
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'new' } })
    await subject.start()
    const { status } = await s.until(Widget, 'a', isHandledBy('forgetful'))
    expect(status).toEqual({ create: { field: 'new' } })
  })
})
