import { spawn } from 'node:child_process'
import { getEventListeners, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Cluster } from '@binnacle/cluster'
import { type Client, connect, KubeConfig, type Operator, operator, type RunningOperator, toCRD } from 'binnacle'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { latch } from './world.ts'

// Sockets and timers are real things: these stories are told over HTTP and in real time in every world.

let cluster: Cluster
let admin: Client
const warnings: Error[] = []
const warn = (warning: Error) => void warnings.push(warning)

beforeEach(async () => {
  cluster = await Cluster.start({ crds: [toCRD(Widget)] })
  admin = await connect({ transport: cluster.transport() }) // Without sockets of its own.
  warnings.length = 0
  process.on('warning', warn)
})

afterEach(async () => {
  process.off('warning', warn)
  await admin[Symbol.asyncDispose]()
  await cluster.stop()
})

/** What keeps the event loop alive, by sort. */
function alive(): { readonly [sort: string]: number } {
  const counts: { [sort: string]: number } = {}
  for (const sort of process.getActiveResourcesInfo().sort()) counts[sort] = (counts[sort] ?? 0) + 1
  return counts
}

/** What is alive now and was not before, by sort. Others may have ended theirs meanwhile. */
function moreThan(before: { readonly [sort: string]: number }): { readonly [sort: string]: number } {
  return Object.fromEntries(Object.entries(alive()).filter(([sort, count]) => count > (before[sort] ?? 0)))
}

/** A socket needs a moment to be closed on both of its ends. */
async function expectNothingLeft(story: () => Promise<void>): Promise<void> {
  await quiet()
  const before = alive()
  await story()
  const deadline = Date.now() + 3000
  while (Object.keys(moreThan(before)).length > 0 && Date.now() < deadline) await quiet()
  expect(moreThan(before)).toEqual({})
}

const quiet = () => new Promise((resolve) => setTimeout(resolve, 50))

function greeter(): Operator {
  const op = operator('greeter')
  op.on.create(Widget, ({ name, patch }) => {
    patch.status.greeting = `Hello, ${name}!`
  })
  op.on.delete(Widget, () => {})
  return op
}

const start = (op: Operator, signal?: AbortSignal): Promise<RunningOperator> =>
  op.start({
    kubeconfig: KubeConfig.fromString(cluster.kubeconfig()),
    logger: { level: 'silent' },
    settings: { process: { exitGrace: 0.2 } },
    ...(signal && { signal }),
  })

const make = (name: string) => admin.create(Widget, { metadata: { name }, spec: {} })

async function greeted(names: readonly string[]): Promise<void> {
  for (;;) {
    const { items } = await admin.list(Widget)
    if (items.filter(({ status }) => status?.greeting !== undefined).length === names.length) return
    await quiet() // A request without a socket does not wait for the event loop, on which everybody else depends.
  }
}

describe('after a stop no socket, timer or listener stays', () => {
  it('of an operator at rest', async () => {
    await expectNothingLeft(async () => {
      const running = await start(greeter())
      await make('a')
      await greeted(['a'])
      await running.stop()
      await running.stop()
      await running.ended
    })
  })

  it('of an operator that handled many objects at once, nor does it seem to leak on the way', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `w${i}`)
    await expectNothingLeft(async () => {
      const running = await start(greeter())
      for (const name of names) await make(name)
      await greeted(names)
      await running.stop()
    })
    expect(warnings).toEqual([])
  })

  it('of an operator whose handlers run side by side, nor does it seem to leak meanwhile', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `w${i}`)
    const all = latch()
    let begun = 0
    const op = operator('busy')
    op.on.create(Widget, async ({ patch }) => {
      if (++begun === names.length) all.open()
      await all.opened
      patch.status.greeting = 'at last'
    })
    await expectNothingLeft(async () => {
      const running = await start(op)
      for (const name of names) await make(name)
      await greeted(names)
      await running.stop()
    })
    expect(warnings).toEqual([])
  })

  it('of an operator that was stopped in the middle of its work', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `w${i}`)
    await expectNothingLeft(async () => {
      for (const name of names) await make(name)
      const running = await start(greeter())
      await running.stop()
    })
  })

  it('of an operator whose handler does not listen', async () => {
    const begun = latch()
    const op = operator('deaf')
    op.on.create(Widget, { timeout: '1h' }, () => {
      begun.open()
      return new Promise(() => {})
    })
    await expectNothingLeft(async () => {
      const running = await start(op)
      await make('a')
      await begun.opened
      await running.stop()
    })
  })

  it('of an operator that waits to try again', async () => {
    const failed = latch()
    const op = operator('waiting')
    op.on.create(Widget, { backoff: '1h' }, () => {
      failed.open()
      throw new Error('not yet')
    })
    await expectNothingLeft(async () => {
      const running = await start(op)
      await make('a')
      await failed.opened
      await running.stop()
    })
  })

  it('of an operator that never came up', async () => {
    const op = operator('lost')
    op.on.create('nothings.example.com', () => {})
    op.on.startup(({ settings }) => {
      settings.scanning.disabled = true
    })
    await expectNothingLeft(async () => {
      await expect(start(op)).rejects.toThrow('nothings.example.com')
    })
  })

  it('of an operator that waits for a kind', async () => {
    const op = operator('patient')
    op.on.create('nothings.example.com', () => {})
    await expectNothingLeft(async () => {
      const running = await start(op)
      await running.stop()
    })
  })

  it('of an operator whose server went away', async () => {
    const running = await start(greeter())
    await cluster.stop()
    await running.stop()
    const sockets = () => process.getActiveResourcesInfo().filter((sort) => /TCP|TLS|HTTP/.test(sort)).length
    for (const deadline = Date.now() + 3000; sockets() > 0 && Date.now() < deadline; ) await quiet()
    expect(sockets()).toBe(0)
  })

  it('on the signal that stopped it, nor on the process', async () => {
    const count = () => ['SIGTERM', 'SIGINT'].map((name) => process.listenerCount(name))
    const before = count()
    const stop = new AbortController()
    const op = greeter()
    const ended = op.run({
      kubeconfig: KubeConfig.fromString(cluster.kubeconfig()),
      logger: { level: 'silent' },
      signal: stop.signal,
    })
    await make('a')
    await greeted(['a'])
    expect(getEventListeners(stop.signal, 'abort')).not.toHaveLength(0)
    stop.abort()
    await ended
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
    expect(count()).toEqual(before)
  })

  it('on a signal that did not stop it', async () => {
    const stop = new AbortController()
    const running = await start(greeter(), stop.signal)
    await make('a')
    await greeted(['a'])
    await running.stop()
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0)
  })
})

describe('a process with an operator in it', () => {
  it('ends by itself once the operator has stopped', async () => {
    const script = fileURLToPath(new URL('./whole-life.mjs', import.meta.url))
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      out += chunk
    })
    const giveUp = setTimeout(() => child.kill('SIGKILL'), 15_000)
    const [code, signal] = await once(child, 'close')
    clearTimeout(giveUp)
    expect({ out, code, signal }).toEqual({ out: 'ended\n', code: 0, signal: null })
  })
})
