import { type Harness, harness } from '@binnacle/testing'
import { type Env, type Operator, operator, PermanentError, type StopReason, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** Document 004, section by section: each snippet as an operator, run on virtual time. */

const FINALIZER = 'daemons.binnacle.dev/finalizer'
const kex = (metadata: object = {}, spec: object = { field: 'x' }) => ({
  metadata: { namespace: 'default', name: 'some-kex', ...metadata },
  spec,
})
const REF = 'default/some-kex'

async function story<E extends Env>(op: Operator<E>, tell: (t: Harness<E>) => Promise<void>): Promise<void> {
  await using t = await harness(op, { resources: [Kex] })
  await tell(t)
}

describe('Spawning', () => {
  it('a daemon is started for every object, when it is created or the operator starts, and may run for ever', async () => {
    const checks: string[] = []
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKexAsync({ stopped, name }) {
      for await (const round of stopped.every('10s')) checks.push(`${name} ${round}`)
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.cluster.create(Kex, kex({ name: 'other' }))
      await t.advance(25)
      expect(checks.sort()).toEqual(['other 0', 'other 1', 'other 2', 'some-kex 0', 'some-kex 1', 'some-kex 2'])
      await t.restart()
      await t.settled()
      expect(t.runs.of('monitorKexAsync')).toHaveLength(4)
    })
  })
})

describe('Termination', () => {
  it('a daemon is asked to end by `stopped` when its object is marked for deletion', async () => {
    const reasons: (StopReason | undefined)[] = []
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKex({ stopped, logger }) {
      while (!stopped.aborted) await stopped.wait(1)
      reasons.push(stopped.reason)
      logger.info('We are done. Bye.')
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(0.5)
      await t.cluster.delete(Kex, REF)
      await t.settled()
      expect(reasons[0]?.why).toBe('resource-deleted')
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
      expect(t.logs.map(({ message }) => message)).toContain('We are done. Bye.')
    })
  })

  it('with a cancellation timeout it may leave that to `signal`, which aborts whatever waits', async () => {
    const op = operator('daemons')
    let clock: Harness['clock'] | undefined
    op.daemon(Kex, { cancellationTimeout: 1 }, async function monitorKex({ signal, logger }) {
      try {
        while (true) await clock?.sleep(10, signal)
      } catch (error) {
        if (!signal.aborted) throw error
        logger.info('We are done. Bye.')
      }
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.advance(5)
      await t.cluster.delete(Kex, REF)
      await t.settled()
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
      expect(t.logs.map(({ message }) => message)).toContain('We are done. Bye.')
    })
  })

  it('without one it is not cancelled, except by the exit of the operator', async () => {
    const op = operator('daemons')
    const aborted: number[] = []
    let clock: Harness['clock'] | undefined
    op.daemon(Kex, async function deaf({ signal }) {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      aborted.push(clock?.monotonic() ?? 0)
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.settled()
      await t.cluster.delete(Kex, REF)
      await t.advance('1h')
      expect(aborted).toEqual([])
      expect((await t.cluster.find(Kex, REF))?.metadata.finalizers).toEqual([FINALIZER])
      const start = t.clock.monotonic()
      await t.stop()
      expect(aborted.map((at) => at - start)).toEqual([5])
    })
  })
})

describe('Timeouts', () => {
  it('a daemon that heeds `stopped` within the backoff is neither cancelled nor abandoned', async () => {
    const op = operator('daemons')
    const ends: unknown[] = []
    let clock: Harness['clock'] | undefined
    const options = { cancellationBackoff: 1, cancellationTimeout: 3 }
    op.daemon(Kex, options, async function monitorKex({ stopped, signal }) {
      while (!stopped.aborted) await clock?.sleep(1)
      ends.push([stopped.reason?.stage, signal.aborted])
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.advance(2.5)
      await t.cluster.delete(Kex, REF)
      await t.advance(1)
      expect(ends).toEqual([['signalled', false]])
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
    })
  })

  it('the timeout counts from the cancellation: both together are the time until it is abandoned, with a warning', async () => {
    const op = operator('daemons')
    const aborted: number[] = []
    let clock: Harness['clock'] | undefined
    op.daemon(Kex, { cancellationBackoff: 1, cancellationTimeout: 3 }, async function deaf({ signal }) {
      signal.addEventListener('abort', () => void aborted.push(clock?.monotonic() ?? 0))
      await new Promise(() => {})
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.settled()
      const stopped = t.clock.monotonic()
      await t.cluster.delete(Kex, REF)
      await t.advance(3.9)
      expect(aborted.map((at) => Math.round(at - stopped))).toEqual([1])
      expect((await t.cluster.find(Kex, REF))?.metadata.finalizers).toEqual([FINALIZER])
      await t.advance(0.2)
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
      expect(t.logs.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
        expect.stringContaining('is left to itself; it may leak what it holds (resource-deleted)'),
      ])
    })
  })

  it('without a timeout it is waited for, and that is said from time to time, while the object stays', async () => {
    const op = operator('daemons')
    op.daemon(Kex, { cancellationPolling: 60 }, async function deaf() {
      await new Promise(() => {})
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.settled()
      await t.cluster.delete(Kex, REF)
      await t.advance('5m')
      const told = t.logs.filter(({ message }) => message.includes('has not ended'))
      expect(told.length).toBeGreaterThanOrEqual(4)
      expect((await t.cluster.find(Kex, REF))?.metadata.finalizers).toEqual([FINALIZER])
    })
  })
})

describe('Safe sleep', () => {
  it('an asynchronous daemon awaits the wait, which ends with the time', async () => {
    const rounds: number[] = []
    const op = operator('daemons')
    let clock: Harness['clock'] | undefined
    op.daemon(Kex, async function monitorKex({ stopped }) {
      while (!stopped.aborted) {
        rounds.push(Math.round(clock?.monotonic() ?? 0))
        await stopped.wait(10)
      }
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.advance(25)
      expect(rounds.map((at) => at - (rounds[0] ?? 0))).toEqual([0, 10, 20])
    })
  })

  it('the wait ends as soon as `stopped` is set, however long it would be', async () => {
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKex({ stopped }) {
      while (!(await stopped.wait('7d'))) void 'check something'
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance('1h')
      await t.cluster.delete(Kex, REF)
      await t.settled()
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
    })
  })
})

describe('Postponing', () => {
  it.each([
    ['a length', 30],
    [
      'a function of the object',
      ({ spec }: { readonly spec: { readonly field: string } }) => (spec.field === 'x' ? 30 : 0),
    ],
  ])('the start is delayed by %s after the first sight of the object', async (_, initialDelay) => {
    const op = operator('daemons')
    op.daemon(Kex, { initialDelay }, async function monitorKex({ stopped }) {
      await stopped.wait()
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(29)
      t.expect.called('monitorKex', 0)
      await t.advance(1)
      t.expect.called('monitorKex', 1)
    })
  })

  it('an object that goes during the delay has its daemon never called', async () => {
    const op = operator('daemons')
    op.daemon(Kex, { initialDelay: 30 }, async function monitorKex() {})
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(10)
      await t.cluster.delete(Kex, REF)
      await t.advance(60)
      t.expect.called('monitorKex', 0)
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
    })
  })
})

describe('Restarting', () => {
  it('a daemon that exits is not restarted, except by the restart of the operator', async () => {
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKex({ stopped }) {
      await stopped.wait(10)
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(20)
      await t.cluster.patch(Kex, REF, { spec: { field: 'y' } })
      await t.advance('1h')
      t.expect.called('monitorKex', 1)
      await t.restart()
      await t.advance(1)
      t.expect.called('monitorKex', 2)
    })
  })

  it.each([
    [10, [0, 20, 40]],
    [null, [0, 10, 20]],
  ])('a TemporaryError with the delay %j simulates a restart', async (delay, times) => {
    const op = operator('daemons')
    const started: number[] = []
    let clock: Harness['clock'] | undefined
    op.daemon(Kex, async function monitorKex({ stopped }) {
      started.push(Math.round(clock?.monotonic() ?? 0))
      await stopped.wait(10)
      throw new TemporaryError('Need to restart.', { delay })
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.advance((times.at(-1) ?? 0) + 5)
      expect(started.map((at) => at - (started[0] ?? 0))).toEqual(times)
    })
  })
})

describe('Deletion prevention', () => {
  it('daemons that disobey are left to themselves, and the finalizer goes all the same', async () => {
    const op = operator('daemons')
    let clock: Harness['clock'] | undefined
    let rounds = 0
    op.daemon(Kex, { cancellationTimeout: 2 }, async function disobedient() {
      for (;;) {
        rounds++
        await clock?.sleep(10)
      }
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.settled()
      await t.cluster.delete(Kex, REF)
      await t.advance(3)
      expect(await t.cluster.find(Kex, REF)).toBeUndefined()
      const before = rounds
      await t.advance(30)
      expect(rounds).toBeGreaterThan(before)
      expect(t.health().background.abandoned).toBe(1)
    })
  })

  it('a finalizer is on the object while a daemon runs, and goes when it has ended', async () => {
    const op = operator('daemons')
    let clock: Harness['clock'] | undefined
    op.daemon(Kex, async function slow({ stopped }) {
      await stopped.wait()
      await clock?.sleep(10)
    })
    await story(op, async (t) => {
      clock = t.clock
      await t.cluster.create(Kex, kex())
      await t.settled()
      await t.expect.object(Kex, REF, { metadata: { finalizers: [FINALIZER] } })
      await t.cluster.delete(Kex, REF)
      await t.advance(9)
      await t.expect.object(Kex, REF, { metadata: { finalizers: [FINALIZER] } })
      await t.advance(1)
      await t.expect.object(Kex, REF, undefined)
    })
  })
})

describe('Resource fields access', () => {
  it('a daemon sees what a timer changes, through the views that it got at its start', async () => {
    const fields: string[] = []
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKex({ stopped, spec }) {
      for await (const _ of stopped.every('1s')) fields.push(spec.field)
    })
    let value = 0
    op.timer(Kex, { interval: 2.5 }, function modifyKexSometimes({ patch }) {
      patch.spec.field = String(++value)
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({}, { field: '0' }))
      await t.advance(6.25)
      expect([...new Set(fields.slice(1))]).toEqual(['1', '2', '3'])
    })
  })
})

describe('Resource fields access, by local variables', () => {
  it('a value that was stored stays as it was, while the views of every stanza follow', async () => {
    const seen: unknown[] = []
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKex({ stopped, body, spec, meta, status, labels, uid, name, namespace }) {
      const { field } = spec
      await stopped.wait(10)
      seen.push(field, spec.field, body.spec.field, meta.labels?.['of'], labels['of'], status['n'])
      seen.push([uid === body.metadata.uid, name, namespace])
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.settled()
      await t.cluster.patch(Kex, REF, { spec: { field: 'y' }, metadata: { labels: { of: 'z' } } })
      await t.cluster.patch(Kex, REF, { status: { n: 1 } }, { subresource: 'status' })
      await t.advance(11)
      expect(seen).toEqual(['x', 'y', 'y', 'z', 'z', 1, [true, 'some-kex', 'default']])
    })
  })
})

describe('Results delivery', () => {
  it('what a daemon returns is put into the status', async () => {
    const op = operator('daemons')
    op.daemon(Kex, async function monitorKex({ stopped }) {
      await stopped.wait(10)
      return { finished: true }
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(11)
      await t.expect.object(Kex, REF, { status: { monitorKex: { finished: true } } })
    })
  })
})

describe('Error handling', () => {
  it('errors are handled as for all other handlers, and a permanent one ends the daemon', async () => {
    const retries: number[] = []
    const op = operator('daemons')
    op.daemon(Kex, { errors: 'temporary', backoff: 1, retries: 10 }, function monitorKex({ retry }) {
      retries.push(retry)
      if (retry < 3) throw new TemporaryError("I'll be back!", { delay: 1 })
      if (retry < 5) throw new Error('Something happened!')
      throw new PermanentError('Bye-bye!')
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(60)
      expect(retries).toEqual([0, 1, 2, 3, 4, 5])
      expect(t.runs.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('temporary'), 'permanent'])
      expect((await t.cluster.find(Kex, REF))?.metadata.finalizers).toBeUndefined()
    })
  })

  it.each([
    ['retries', { retries: 3, backoff: 1 }, 3],
    ['timeout', { timeout: 2.5, backoff: 1 }, 3],
    ['errors: permanent', { errors: 'permanent' as const }, 1],
    ['errors: ignored', { errors: 'ignored' as const }, 1],
  ])('%s limits its attempts', async (_, options, attempts) => {
    const op = operator('daemons')
    op.daemon(Kex, { id: 'd', ...options }, () => {
      throw new Error('Something happened!')
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(60)
      t.expect.called('d', attempts)
    })
  })

  it('a timeout interrupts a daemon that runs, by its signal', async () => {
    const op = operator('daemons')
    const reasons: unknown[] = []
    op.daemon(Kex, { id: 'd', timeout: 5 }, async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      reasons.push(signal.reason)
      return 'too late'
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.advance(6)
      expect(t.runs.map(({ outcome }) => outcome)).toEqual(['permanent'])
      expect(reasons).toHaveLength(1)
      expect((await t.cluster.find(Kex, REF))?.status).toBeUndefined()
    })
  })
})

describe('Filtering', () => {
  it('a daemon runs only while labels, annotations and `when` match', async () => {
    const running = new Set<string>()
    const op = operator('daemons')
    op.daemon(
      Kex,
      {
        annotations: { 'some-annotation': 'some-value' },
        labels: { 'some-label': 'some-value' },
        when: ({ name }) => name.includes('some'),
      },
      async function monitorSelectedKexes({ stopped, name }) {
        running.add(name)
        await stopped.wait()
        running.delete(name)
      },
    )
    const labels = { 'some-label': 'some-value' }
    const annotations = { 'some-annotation': 'some-value' }
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ labels, annotations }))
      await t.cluster.create(Kex, kex({ name: 'some-other', labels }))
      await t.cluster.create(Kex, kex({ name: 'foreign', labels, annotations }))
      await t.settled()
      expect([...running]).toEqual(['some-kex'])
      await t.cluster.patch(Kex, REF, { metadata: { annotations: { 'some-annotation': null } } })
      await t.settled()
      expect([...running]).toEqual([])
      await t.cluster.patch(Kex, REF, { metadata: { annotations } })
      await t.settled()
      expect([...running]).toEqual(['some-kex'])
      t.expect.called('monitorSelectedKexes', 2)
    })
  })
})

describe('Filtering, and what it looks at', () => {
  it('criteria are asked when the object changes, and not while nothing does', async () => {
    let wanted = true
    const running = new Set<string>()
    const op = operator('daemons')
    op.daemon(Kex, { when: () => wanted }, async function monitorKex({ stopped, name }) {
      running.add(name)
      await stopped.wait()
      running.delete(name)
    })
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex())
      await t.settled()
      wanted = false
      await t.advance('1h')
      expect([...running]).toEqual(['some-kex'])
      await t.cluster.patch(Kex, REF, { spec: { field: 'y' } })
      await t.settled()
      expect([...running]).toEqual([])
    })
  })
})

describe('System resources', () => {
  it('objects that come and go, again and again, leave nothing behind', async () => {
    const op = operator('daemons')
    op.daemon(Kex, { id: 'd' }, async ({ stopped }) => void (await stopped.wait('1h')))
    op.timer(Kex, { id: 't', interval: '1h' }, () => {})
    await story(op, async (t) => {
      const clock = t.clock as Harness['clock'] & { readonly sleeping: number }
      const before = clock.sleeping
      for (let round = 0; round < 5; round++) {
        for (let i = 0; i < 40; i++) await t.cluster.create(Kex, kex({ name: `k${i}` }))
        await t.settled()
        expect(t.health().background.running).toBe(80)
        for (let i = 0; i < 40; i++) await t.cluster.delete(Kex, `default/k${i}`)
        await t.settled()
        expect(t.health().background).toEqual({ running: 0, stopping: 0, abandoned: 0 })
      }
      await t.advance('2h')
      expect((await t.cluster.list(Kex)).items).toEqual([])
      expect(clock.sleeping).toBeLessThanOrEqual(before)
    })
  })
})
