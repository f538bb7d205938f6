import { operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { PAUSE, stage } from './world.ts'

const { scene } = stage(Widget)

const widget = { metadata: { name: 'a' }, spec: {} }

describe('a timer', () => {
  it('is called at intervals, sees the newest state, and ends with its object', async () => {
    await using s = await scene()
    const seen: unknown[] = []
    const op = operator('ticking')
    op.timer(Widget, { id: 'tick', interval: PAUSE }, ({ spec, patch, retry }) => {
      seen.push([spec.field, retry])
      patch.status.ticks = seen.length
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { ...widget, spec: { field: 'x' } })
    await s.when(() => seen.length >= 2)
    await s.client.patch(Widget, 'a', { spec: { field: 'y' } })
    await s.when(() => JSON.stringify(seen.at(-1)) === '["y",0]')
    await s.until(Widget, 'a', ({ status }) => status?.ticks >= 3)
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    const calls = seen.length
    await s.pass(3 * PAUSE)
    expect(seen).toHaveLength(calls)
    expect(subject.running.health().background).toEqual({ running: 0, stopping: 0, abandoned: 0 })
  })

  it('is called once, without an interval', async () => {
    await using s = await scene()
    const op = operator('single')
    op.timer(Widget, { id: 'shot' }, () => 'done')
    const subject = await s.start(op)
    await s.client.create(Widget, widget)
    await s.until(Widget, 'a', ({ status, metadata }) => status?.shot === 'done' && !metadata.finalizers)
    await s.pass(3 * PAUSE)
    expect(subject.runs.of('shot')).toHaveLength(1)
  })

  it('is tried again after the delay of its error, and starts counting anew after a success', async () => {
    await using s = await scene()
    const retries: number[] = []
    const op = operator('flaky')
    op.timer(Widget, { id: 'tick', interval: PAUSE, backoff: PAUSE / 2 }, ({ retry }) => {
      retries.push(retry)
      if (retry === 0) throw new TemporaryError('not yet', { delay: PAUSE / 2 })
      if (retry === 1) throw new Error('unforeseen')
    })
    await s.start(op)
    await s.client.create(Widget, widget)
    await s.when(() => retries.length >= 6)
    expect(retries.slice(0, 6)).toEqual([0, 1, 2, 0, 1, 2])
  })

  it('ends when it has failed for good', async () => {
    await using s = await scene()
    const op = operator('doomed')
    op.timer(Widget, { id: 'tick', interval: PAUSE / 4 }, () => {
      throw new PermanentError('never')
    })
    const subject = await s.start(op)
    await s.client.create(Widget, widget)
    await s.when(() => subject.runs.some(({ outcome }) => outcome === 'permanent'))
    await s.until(Widget, 'a', ({ metadata }) => !metadata.finalizers)
    await s.pass(PAUSE)
    expect(subject.runs).toHaveLength(1)
  })

  it('that is only idle keeps neither an object from going nor the operator from exiting', async () => {
    await using s = await scene()
    const op = operator('idler')
    op.timer(Widget, { id: 'idle', idle: PAUSE / 2 }, () => {})
    op.on.update(Widget, () => {})
    const subject = await s.start(op)
    await s.client.create(Widget, widget)
    await s.when(() => subject.runs.of('idle').length === 1)
    await s.client.delete(Widget, 'a')
    await s.untilGone(Widget, 'a')
    await s.client.create(Widget, { ...widget, metadata: { name: 'b' } })
    await s.when(() => subject.runs.of('idle').length === 2)
    await subject.stop()
  })
})
