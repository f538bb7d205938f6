import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { aborted } from './abort.ts'
import { exponential } from './backoff.ts'
import { BinnacleError } from './errors.ts'
import { createLogger } from './log-line.ts'
import { noMetrics } from './metrics.ts'
import { Supervisor } from './supervise.ts'
import { VirtualClock } from './virtual-clock.ts'

function world() {
  const clock = new VirtualClock()
  const lines: string[] = []
  const logger = createLogger({ format: 'plain', write: (line) => lines.push(line), now: () => clock.now() })
  return { clock, lines, runtime: { clock, logger, random: () => 0, metrics: noMetrics } }
}
const onFailure = exponential({ initial: 1, factor: 2, max: '1h' })

describe('a supervisor', () => {
  it('starts a failed task anew, after waits that grow', async () => {
    const { clock, lines, runtime } = world()
    await using supervisor = new Supervisor(runtime)
    const starts: number[] = []
    const task = async () => {
      starts.push(clock.monotonic())
      throw new Error('boom')
    }
    void supervisor.start('the watch of pods', task, { onFailure })
    await clock.advance(7)
    expect(starts).toEqual([0, 1, 3, 7])
    expect(supervisor.tasks).toEqual([{ name: 'the watch of pods', restarts: 4, error: 'boom' }])
    expect(lines[0]).toBe('the watch of pods failed and starts anew in 1.0 s: boom')
  })

  it('begins with short waits again once the task has run well for a while', async () => {
    const { clock, runtime } = world()
    await using supervisor = new Supervisor(runtime)
    const starts: number[] = []
    const task = async () => {
      starts.push(clock.monotonic())
      if (starts.length === 4) await clock.sleep('1h')
      throw new Error('boom')
    }
    void supervisor.start('task', task, { onFailure })
    await clock.advance('1h0m30s')
    expect(starts.slice(0, 6)).toEqual([0, 1, 3, 7, 3608, 3610])
  })

  it('also starts anew a task that throws before it returns a promise', async () => {
    const { clock, runtime } = world()
    await using supervisor = new Supervisor(runtime)
    const task = vi.fn((): Promise<void> => {
      throw new Error('boom')
    })
    void supervisor.start('task', task, { onFailure })
    await clock.advance(1)
    expect(task).toHaveBeenCalledTimes(2)
  })

  it('reports a failure that must not be, with the name of the task and the hint of the error', async () => {
    const { runtime } = world()
    await using supervisor = new Supervisor(runtime)
    const cause = Object.assign(new Error('boom'), { hint: 'Try this.' })
    await supervisor.start('the listener', () => Promise.reject(cause))
    await expect(supervisor.failed).rejects.toMatchObject({
      code: 'BIN_TASK',
      message: 'the listener has failed: boom',
      hint: 'Try this.',
      cause,
    })
    expect(supervisor.tasks).toEqual([])
  })

  it('reports an error that teaches already as it is', async () => {
    const { runtime } = world()
    await using supervisor = new Supervisor(runtime)
    const error = new BinnacleError('BIN_LOGIN', { message: 'No credentials' })
    await supervisor.start('task', () => Promise.reject(error))
    await expect(supervisor.failed).rejects.toBe(error)
  })

  it('forgets a task that has returned', async () => {
    const { runtime } = world()
    await using supervisor = new Supervisor(runtime)
    const run = supervisor.start('short', async () => {})
    expect(supervisor.tasks).toHaveLength(1)
    await run
    expect(supervisor.tasks).toEqual([])
  })

  it('waits for all tasks when it stops, also for those that take their time', async () => {
    const { clock, runtime } = world()
    const supervisor = new Supervisor(runtime)
    const ended: string[] = []
    void supervisor.start('slow', async (signal) => {
      await aborted(signal)
      await clock.sleep(5)
      ended.push('slow')
    })
    void supervisor.start('quick', async (signal) => {
      await aborted(signal)
      ended.push('quick')
    })
    const stopping = supervisor.stop().then(() => ended.push('stopped'))
    await clock.advance(4)
    expect(ended).toEqual(['quick'])
    await clock.advance(1)
    await stopping
    expect(ended).toEqual(['quick', 'slow', 'stopped'])
  })

  it('runs nothing any more after it has stopped: no restart, no new task, no sleeper', async () => {
    const { clock, runtime } = world()
    const supervisor = new Supervisor(runtime)
    const task = vi.fn(() => Promise.reject(new Error('boom')))
    void supervisor.start('task', task, { onFailure })
    await clock.advance(0)
    expect(clock.sleeping).toBe(1)
    await supervisor.stop()
    const late = vi.fn(async () => {})
    await supervisor.start('late', late)
    await clock.advance('1d')
    expect(task).toHaveBeenCalledTimes(1)
    expect(late).not.toHaveBeenCalled()
    expect([clock.sleeping, supervisor.tasks]).toEqual([0, []])
    await supervisor.stop()
  })

  it('stops when the signal that it was given aborts, and leaves no listener on it', async () => {
    const { runtime } = world()
    const controller = new AbortController()
    const supervisor = new Supervisor(runtime, controller.signal)
    const run = supervisor.start('task', (signal) => aborted(signal))
    controller.abort(new Error('enough'))
    await run
    expect(supervisor.signal.reason).toEqual(new Error('enough'))
    const other = new AbortController()
    await new Supervisor(runtime, other.signal).stop()
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(0)
  })

  it('does not report what a task says when it is stopped, but logs what failed on the way out', async () => {
    const { lines, runtime } = world()
    const supervisor = new Supervisor(runtime)
    const failed = vi.fn()
    supervisor.failed.catch(failed)
    void supervisor.start('obedient', async (signal) => {
      await aborted(signal)
      throw signal.reason
    })
    void supervisor.start('careless', async (signal) => {
      await aborted(signal)
      throw new Error('could not say goodbye')
    })
    await supervisor.stop()
    expect(failed).not.toHaveBeenCalled()
    expect(lines).toEqual(['careless failed while it was stopped: could not say goodbye'])
  })
})
