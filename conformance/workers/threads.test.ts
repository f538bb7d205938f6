import { type Harness, harness } from '@binnacle/testing'
import { type Env, inWorker, type Operator, operator, type SettingsInput, worker } from 'binnacle'
import { describe, expect, it, vi } from 'vitest'
import { Kex } from './kinds.ts'

/** Handlers in worker threads. Threads compute in real time; what they wait for is virtual. */

const module = (name: string) => worker(new URL(`./modules/${name}`, import.meta.url))
const ACTIONS = module('actions.mjs')
const REF = 'default/some-kex'
const kex = (spec: object, name = 'some-kex') => ({ metadata: { namespace: 'default', name }, spec })

async function story<E extends Env>(
  op: Operator<E>,
  tell: (t: Harness<E>) => Promise<void>,
  settings: SettingsInput = {},
): Promise<void> {
  await using t = await harness(op, { resources: [Kex], settings })
  await tell(t)
}
const lines = (t: Harness) => t.logs.map(({ message }) => message)

describe('A daemon in a thread', () => {
  it('004 Spawning, Safe sleep: is synchronous, sleeps by the clock of the operator, sees the newest state, and stops', async () => {
    const op = operator('threads')
    op.daemon(Kex, module('monitor.mjs'))
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ field: 'a' }))
      await t.advance(15)
      expect(lines(t).filter((line) => line === 'FIELD=a')).toHaveLength(2)
      expect(t.health().workers).toMatchObject({ busy: 1, waiting: 0 })
      await t.cluster.patch(Kex, REF, { spec: { field: 'b' } })
      await t.advance(10)
      expect(lines(t)).toContain('FIELD=b')
      await t.expect.object(Kex, REF, { metadata: { finalizers: ['threads.binnacle.dev/finalizer'] } })
      await t.cluster.delete(Kex, REF)
      await t.settled()
      expect(lines(t)).toContain('We are done. Bye. (resource-deleted)')
      await t.expect.object(Kex, REF, undefined)
      expect(t.health().workers).toMatchObject({ busy: 0, idle: 1 })
    })
  })

  it('is known by the name of its file', () => {
    const op = operator('threads')
    expect(op.daemon(Kex, module('monitor.mjs')).id).toBe('monitor')
  })

  it('that heeds only its signal is cancelled after the backoff, and its answer counts', async () => {
    const op = operator('threads')
    op.daemon(Kex, { id: 'd', cancellationBackoff: '100ms', cancellationTimeout: '30s' }, ACTIONS)
    await using t = await harness(op, { resources: [Kex], time: 'real' })
    await t.cluster.create(Kex, kex({ action: 'block' }))
    await vi.waitFor(() => expect(t.health().workers.busy).toBe(1), 10_000)
    await t.cluster.delete(Kex, REF)
    await vi.waitFor(async () => expect(await t.cluster.find(Kex, REF)).toBeUndefined(), 10_000)
    expect(t.runs.at(-1)).toMatchObject({ outcome: 'success', result: 'heeded the signal' })
  })

  it('that heeds nothing is terminated when its timeout is over, with a warning, and its thread is replaced', async () => {
    const op = operator('threads')
    op.daemon(Kex, { id: 'd', cancellationBackoff: '100ms', cancellationTimeout: '400ms' }, module('deaf.mjs'))
    op.on.create(Kex, { id: 'c' }, ACTIONS)
    await using t = await harness(op, { resources: [Kex], settings: { execution: { maxWorkers: 1 } }, time: 'real' })
    await t.cluster.create(Kex, kex({}))
    await vi.waitFor(() => expect(lines(t)).toContain('deaf'), 10_000)
    await t.cluster.delete(Kex, REF)
    await vi.waitFor(async () => expect(await t.cluster.find(Kex, REF)).toBeUndefined(), 12_000)
    expect(lines(t).some((line) => line.includes('its thread is terminated'))).toBe(true)
    await t.cluster.create(Kex, kex({ action: 'result' }, 'other'))
    await vi.waitFor(() => expect(lines(t).filter((line) => line === 'deaf')).toHaveLength(2), 10_000)
  })

  it('does not keep the operator from exiting', async () => {
    const op = operator('threads')
    op.daemon(Kex, { id: 'd' }, module('deaf.mjs'))
    const settings = { process: { exitGrace: '200ms' } } as const
    await using t = await harness(op, { resources: [Kex], time: 'real', settings })
    await t.cluster.create(Kex, kex({}))
    await vi.waitFor(() => expect(lines(t)).toContain('deaf'), 10_000)
    await t.stop()
  })
})

describe('Timers, changes and events in threads', () => {
  it('a timer is called again and again', async () => {
    const op = operator('threads')
    op.timer(Kex, { id: 't', interval: 10, param: { deep: [1] } }, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action: 'result' }))
      await t.advance(25)
      t.expect.called('t', 3)
      await t.expect.object(Kex, REF, { status: { t: { sum: 4_999_950_000, param: { deep: [1] }, retry: 0 } } })
    })
  })

  it('a change handler sees its change, and one file may be called for several causes', async () => {
    const op = operator('threads')
    op.on.create(Kex, ACTIONS)
    op.on.update(Kex, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action: 'change' }))
      await t.settled()
      await t.expect.object(Kex, REF, { status: { actions: { reason: 'create' } } })
      await t.cluster.patch(Kex, REF, { spec: { more: 1 } })
      await t.settled()
      const diff = [{ op: 'add', path: ['spec', 'more'], new: 1 }]
      expect((await t.cluster.get(Kex, REF)).status.actions).toMatchObject({ reason: 'update', diff })
    })
  })

  it('an event handler sees its event', async () => {
    const op = operator('threads')
    op.on.event(Kex, { id: 'e', result: false }, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action: 'change' }))
      await t.settled()
      expect(t.runs.at(-1)?.result).toMatchObject({ type: 'ADDED', event: 'some-kex' })
    })
  })
})

describe('What comes back from a thread', () => {
  const cases: readonly [action: string, expected: object][] = [
    ['result', { outcome: 'success' }],
    [
      'permanent',
      { outcome: 'permanent', error: { name: 'PermanentError', message: 'never', cause: { name: 'RangeError' } } },
    ],
    ['arbitrary', { outcome: 'temporary', error: { name: 'TypeError', message: 'odd', hint: 'look elsewhere' } }],
    [
      'crash',
      { outcome: 'temporary', error: { code: 'BIN_WORKER', message: expect.stringContaining('nobody catches this') } },
    ],
    ['exit', { outcome: 'temporary', error: { code: 'BIN_WORKER', message: expect.stringContaining('exit code 3') } }],
    [
      'unclonable',
      {
        outcome: 'temporary',
        error: { code: 'BIN_WORKER', message: expect.stringContaining('cannot leave its thread') },
      },
    ],
    ['edit', { outcome: 'temporary', error: { message: expect.stringContaining('patch.edit') } }],
    ['memo', { outcome: 'temporary', error: { message: expect.stringContaining('stays on the event loop') } }],
    ['children', { outcome: 'success', result: { metadata: { ownerReferences: [{ name: 'some-kex' }] } } }],
  ]
  it.each(cases)('%s', async (action, expected) => {
    const op = operator('threads')
    op.on.create(Kex, { id: 'c' }, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action }))
      await t.settled()
      expect(t.runs[0]).toMatchObject(expected)
      // Whatever became of it, the next call finds a thread.
      await t.cluster.create(Kex, kex({ action: 'result' }, 'next'))
      await t.settled()
      expect(t.runs.at(-1)).toMatchObject({ outcome: 'success' })
    })
  })

  it('a patch, also that of an attempt which fails, and retries count', async () => {
    const op = operator('threads')
    op.on.create(Kex, { id: 'c' }, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action: 'patch' }))
      await t.cluster.create(Kex, kex({ action: 'temporary' }, 'again'))
      await t.settled()
      await t.expect.object(Kex, REF, { metadata: { labels: { seen: 'yes' } }, status: { written: 'by some-kex' } })
      await t.expect.object(Kex, 'default/again', { status: { attempts: 1 } })
      await t.advance(11)
      await t.expect.object(Kex, 'default/again', { status: { attempts: 3 } })
    })
  })

  it('lines with their fields, and events', async () => {
    const op = operator('threads')
    op.on.create(Kex, { id: 'c' }, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action: 'line' }))
      await t.settled()
      expect(t.logs.find(({ message }) => message === 'a line')).toMatchObject({ level: 'warn' })
      const { items } = await t.cluster.list('events')
      expect(items.map(({ reason }) => reason)).toContain('Noted')
    })
  })

  it('asynchronous waits, by the clock of the operator', async () => {
    const op = operator('threads')
    op.daemon(Kex, { id: 'd' }, ACTIONS)
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({ action: 'every' }))
      await t.advance(19)
      expect(t.runs.at(-1)).toMatchObject({ outcome: 'running' })
      await t.advance(2)
      expect(t.runs.at(-1)).toMatchObject({ outcome: 'success', result: 2 })
    })
  })
})

describe('Limits', () => {
  it('a timeout ends a handler that computes, thread and all, and the next one gets a new thread', async () => {
    const op = operator('threads')
    op.on.create(Kex, { id: 'limited', timeout: '300ms', when: ({ name }) => name === 'some-kex' }, ACTIONS)
    op.on.create(Kex, { id: 'unlimited', when: ({ name }) => name === 'next' }, ACTIONS)
    await using t = await harness(op, { resources: [Kex], time: 'real', settings: { execution: { maxWorkers: 1 } } })
    await t.cluster.create(Kex, kex({ action: 'ignore' }))
    await vi.waitFor(() => expect(t.runs.at(-1)).toMatchObject({ outcome: 'permanent' }), 10_000)
    await t.cluster.create(Kex, kex({ action: 'result' }, 'next'))
    await vi.waitFor(() => expect(t.runs.at(-1)).toMatchObject({ outcome: 'success' }), 10_000)
  })

  it('more daemons than threads wait for one, which is said once and shown; those that wait stop at once', async () => {
    const op = operator('threads')
    op.daemon(Kex, module('monitor.mjs'))
    await story(
      op,
      async (t) => {
        for (const name of ['a', 'b', 'c', 'd']) await t.cluster.create(Kex, kex({ field: name }, name))
        await t.settled()
        expect(t.health().workers).toEqual({ limit: 2, busy: 2, idle: 0, waiting: 2 })
        expect(lines(t).filter((line) => line.includes('settings.execution.maxWorkers'))).toHaveLength(1)
        const waits = ['a', 'b', 'c', 'd'].filter((name) => !lines(t).includes(`FIELD=${name}`))
        expect(waits).toHaveLength(2)
        await t.cluster.delete(Kex, `default/${waits[0]}`)
        await t.settled()
        expect(t.health().workers).toMatchObject({ busy: 2, waiting: 1 })
        const [running] = ['a', 'b', 'c', 'd'].filter((name) => lines(t).includes(`FIELD=${name}`))
        await t.cluster.delete(Kex, `default/${running}`)
        await t.settled()
        expect(t.health().workers).toMatchObject({ busy: 2, waiting: 0 })
        expect(lines(t)).toContain(`FIELD=${waits[1]}`)
      },
      { execution: { maxWorkers: 2 } },
    )
  })
})

describe('Mistakes', () => {
  const start = async (file: string) => {
    const op = operator('threads')
    op.daemon(Kex, module(file))
    await using _ = await harness(op, { resources: [Kex] })
  }

  it.each([
    ['missing.mjs', 'There is no file for the worker handler'],
    ['none.mjs', 'exports no handler made by inWorker'],
    ['two.mjs', 'exports several handlers made by inWorker'],
  ])('%s ends the start', async (file, message) => {
    await expect(start(file)).rejects.toMatchObject({ code: 'BIN_WORKER', message: expect.stringContaining(message) })
  })

  it('a param that cannot be sent, a handler instead of its file, and no URL are refused where they are declared', () => {
    const op = operator('threads')
    expect(() => op.daemon(Kex, { param: () => {} }, ACTIONS)).toThrow('cannot be sent to a worker thread')
    expect(() => op.daemon(Kex, inWorker(Kex, () => {}) as never)).toThrow('would run on the event loop')
    expect(() => worker('./x.ts' as never)).toThrow('named by the URL of a file')
    expect(() => worker(new URL('https://example.com/x.js'))).toThrow('named by the URL of a file')
  })

  it('TypeScript runs where Node erases types, and is refused with what to do where it does not', async () => {
    const op = operator('threads')
    op.on.create(Kex, module('typed.ts'))
    const runs = Boolean((process.features as { readonly typescript?: unknown }).typescript)
    if (!runs) {
      await expect(harness(op, { resources: [Kex] })).rejects.toThrow('is TypeScript, which Node')
      return
    }
    await story(op, async (t) => {
      await t.cluster.create(Kex, kex({}))
      await t.advance(2)
      await t.expect.object(Kex, REF, { status: { typed: 'some-kex false' } })
    })
  })
})
