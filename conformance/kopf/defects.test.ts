import type { Transport } from '@binnacle/client'
import { harness, World } from '@binnacle/testing'
import { ABSENT, operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** What was seen to go wrong with Kopf on a real server, each as a story that must go well here. */

const sample = (spec: object = {}) => ({ metadata: { name: 'a', namespace: 'default' }, spec })

describe('lost updates', () => {
  it('an update during the retries of one handler reaches those that had finished (kopf#1178)', async () => {
    const seen: string[] = []
    const op = operator('defects')
    op.on.create(Kex, () => {})
    op.on.update(Kex, function quick({ spec }) {
      seen.push(`quick ${spec.n}`)
    })
    op.on.update(Kex, function slow({ spec, retry }) {
      if (retry < 2) throw new TemporaryError('not yet', { delay: 10 })
      seen.push(`slow ${spec.n}`)
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample({ n: 1 }))
    await t.settled()
    await t.cluster.patch(Kex, 'a', { spec: { n: 2 } })
    await t.advance('5s')
    await t.cluster.patch(Kex, 'a', { spec: { n: 3 } })
    await t.advance('2m')
    expect(seen).toContain('quick 2')
    expect(seen.filter((line) => line === 'quick 3')).toHaveLength(1)
    expect(seen.at(-1)).toBe('slow 3')
  })

  it('five quick edits during a slow handler are handled by two calls, not by nine', async () => {
    const seen: number[] = []
    const op = operator('defects')
    op.on.create(Kex, () => {})
    await using t = await harness(op, { resources: [Kex], start: false })
    op.on.update(Kex, async function slow({ spec }) {
      seen.push(spec.n)
      await t.clock.sleep(10)
    })
    await t.start()
    await t.cluster.create(Kex, sample({ n: 0 }))
    await t.settled()
    for (let n = 1; n <= 5; n++) {
      await t.cluster.patch(Kex, 'a', { spec: { n } })
      await t.advance('1s')
    }
    await t.advance('5m')
    expect(seen).toEqual([1, 5])
  })

  it('the first appearance of a field of the status is a change, also for a sole update handler', async () => {
    const op = operator('defects')
    op.on.update(Kex, { field: 'status.x' }, function appeared() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.settled()
    await t.cluster.patch(Kex, 'a', { status: { x: 1 } }, { subresource: 'status' })
    await t.settled()
    t.expect.called('appeared/status.x', 1)
  })

  it('an object that leaves the scope and comes back is told of all that has changed meanwhile', async () => {
    const seen: unknown[] = []
    const op = operator('defects')
    op.on.update(
      Kex,
      { labels: { managed: ABSENT } },
      ({ diff }) => void seen.push(diff.map(({ path }) => path.join('.'))),
    )
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample({ n: 1 }))
    await t.settled()
    await t.cluster.patch(Kex, 'a', { metadata: { labels: { managed: 'no' } }, spec: { n: 2 } })
    await t.settled()
    await t.cluster.patch(Kex, 'a', { metadata: { labels: { managed: null } }, spec: { m: 1 } })
    await t.settled()
    expect(seen).toEqual([['spec.m', 'spec.n']])
  })

  it('a handler that writes into the content causes one update with that change, and no more', async () => {
    const seen: unknown[] = []
    const op = operator('defects')
    op.on.create(Kex, ({ patch }) => {
      patch.spec.size = 1
    })
    op.on.update(Kex, ({ diff }) => void seen.push(diff.map(({ op: what, path }) => `${what} ${path.join('.')}`)))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample({ n: 1 }))
    await t.advance('10m')
    expect(seen).toEqual([['add spec.size']])
  })
})

describe('lost events', () => {
  it('a filter that throws does not lose the event: the object is looked at again by itself', async () => {
    let broken = 3
    const op = operator('defects')
    op.on.create(Kex, { when: () => broken-- <= 0 || fail('the filter is broken') }, function made() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('1m')
    t.expect.called('made', 1)
    expect(t.logs.filter(({ level }) => level === 'error').length).toBeGreaterThan(0)
  })

  it('a path through something that is no mapping is absent, and nothing crashes', async () => {
    const op = operator('defects')
    op.on.create(Kex, { field: 'spec.a.b', value: ABSENT }, function withoutB() {})
    op.on.create(Kex, { field: 'spec.a.b' }, function withB() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample({ a: 'text' }))
    await t.settled()
    t.expect.called('withoutB/spec.a.b', 1)
    t.expect.called('withB/spec.a.b', 0)
    expect(t.logs.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('a patch that the server refuses for a while is sent in the end, without another event', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const down = refusing(world, ({ method }) => (method === 'PATCH' ? 503 : undefined))
    const op = operator('defects')
    op.on.create(Kex, ({ patch }) => {
      patch.status.ready = true
    })
    const subject = await world.start(op)
    down.refuses = true
    await world.client.create(Kex, sample())
    await world.advance('2m')
    down.refuses = false
    await world.advance('15m')
    expect(down.refused).toBeGreaterThan(1)
    expect((await world.client.get(Kex, 'default/a')).status).toEqual({ ready: true })
    expect(subject.runs.at(-1)).toMatchObject({ outcome: 'success' })
  })

  it('a deletion that fell into a gap of the watch is noticed by the next list, in memory and in indices', async () => {
    const op = operator('defects')
    op.on.create(Kex, () => {})
    op.on.delete(Kex, { optional: true }, function gone() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.settled()
    t.link.sever()
    await t.cluster.delete(Kex, 'a')
    t.cluster.actor.compact()
    t.link.restore()
    await t.advance('5m')
    t.expect.called('gone', 1)
  })
})

describe('dead watchers', () => {
  it.each([403, 404, 410, 429, 500, 503])('a watch that is refused with %i is taken up again', async (status) => {
    await using world = await World.virtual({ resources: [Kex] })
    const line = refusing(world, ({ path }) => (/kopfexamples\?/.test(path) ? status : undefined))
    const op = operator('defects')
    op.on.create(Kex, function made() {})
    const subject = await world.start(op)
    line.refuses = true
    subject.link.cut()
    await world.advance('10m')
    await world.client.create(Kex, sample())
    line.refuses = false
    await world.advance('20m')
    expect(line.refused).toBeGreaterThan(1)
    expect(subject.runs.of('made')).toHaveLength(1)
  })
})

describe('parent attempts', () => {
  it('a parent with two attempts is not failed by the cycles of its four sub-handlers', async () => {
    const op = operator('defects')
    op.on.create(Kex, { retries: 2, id: 'parent' }, ({ step }) => {
      for (const id of ['one', 'two', 'three', 'four']) {
        void step(id, ({ retry }) => {
          if (retry < 1) throw new TemporaryError('not yet', { delay: 5 })
        })
      }
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('10m')
    for (const id of ['one', 'two', 'three', 'four'])
      expect(t.runs.of(`parent/${id}`).map(({ outcome }) => outcome)).toEqual(['temporary', 'success'])
    expect(t.runs.of('parent').at(-1)).toMatchObject({ outcome: 'success' })
  })
})

describe('finalizer wars', () => {
  const holder = () => {
    const op = operator('holder')
    op.on.delete(Kex, () => {})
    return op
  }

  it('an operator that only watches leaves a finalizer of the very same name alone', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const watcher = operator('watcher', { settings: { persistence: { finalizer: 'holder.binnacle.dev/finalizer' } } })
    watcher.on.event(Kex, () => {})
    await world.start(holder())
    const other = await world.start(watcher)
    await world.client.create(Kex, sample())
    await world.advance('10m')
    expect((await world.client.get(Kex, 'default/a')).metadata.finalizers).toEqual(['holder.binnacle.dev/finalizer'])
    expect(other.ledger.writes).toEqual([])
  })

  it('two operators on one kind come to rest, each with its own finalizer', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const other = operator('other')
    other.on.create(Kex, { labels: { never: 'matched' } }, () => {})
    other.on.delete(Kex, { labels: { never: 'matched' } }, () => {})
    const subjects = [await world.start(holder()), await world.start(other)]
    await world.client.create(Kex, sample())
    await world.advance('10m')
    expect((await world.client.get(Kex, 'default/a')).metadata.finalizers).toEqual(['holder.binnacle.dev/finalizer'])
    expect(subjects.map(({ ledger }) => ledger.writes.length <= 2)).toEqual([true, true])
  })
})

describe('endless busy loops', () => {
  it('an idle-only timer lets its object go (kopf: at 100 % CPU, and never)', async () => {
    const op = operator('defects')
    op.on.create(Kex, () => {})
    op.timer(Kex, { idle: '1h' }, function idle() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('1s')
    await t.cluster.delete(Kex, 'a')
    await t.advance('1m')
    await t.expect.object(Kex, 'a', undefined)
    t.expect.called('idle', 0)
  })

  it('a delete handler that has finished is not called again while a daemon of the object still ends', async () => {
    const op = operator('defects')
    op.on.delete(Kex, function gone() {})
    await using t = await harness(op, { resources: [Kex], start: false })
    op.daemon(Kex, { cancellationTimeout: '1h' }, async function lingering({ stopped }) {
      await stopped.wait()
      await t.clock.sleep(300)
    })
    await t.start()
    await t.cluster.create(Kex, sample())
    await t.advance('1s')
    await t.cluster.delete(Kex, 'a')
    await t.advance('2m')
    expect(await t.cluster.find(Kex, 'a')).toBeDefined()
    await t.advance('10m')
    t.expect.called('gone', 1)
    await t.expect.object(Kex, 'a', undefined)
  })
})

describe('oversized state', () => {
  it('an object too large to be remembered is handled once for each change, and never in a loop (kopf#1087)', async () => {
    const op = operator('defects')
    op.on.create(Kex, function made() {})
    op.on.update(Kex, function changed() {})
    await using t = await harness(op, { resources: [Kex] })
    const noise = (seed: number) =>
      Array.from({ length: 300_000 }, (_, at) => ((at * 7919 * seed) % 36).toString(36)).join('')
    await t.cluster.create(Kex, sample({ text: noise(3) }))
    await t.advance('10m')
    await t.cluster.patch(Kex, 'a', { spec: { text: noise(5) } })
    await t.advance('10m')
    t.expect.called('made', 1)
    t.expect.called('changed', 1)
  })
})

describe('chattiness', () => {
  it('five handlers of a creation cost one patch, not five', async () => {
    const op = operator('defects')
    for (let n = 0; n < 5; n++) op.on.create(Kex, { id: `handler-${n}`, result: false }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('1m')
    expect(t.cluster.requests.filter(({ verb }) => verb === 'patch')).toHaveLength(1)
  })

  it('an attempt that is to be repeated costs one patch, not two', async () => {
    const op = operator('defects')
    op.on.create(Kex, ({ retry }) => {
      if (retry < 4) throw new TemporaryError('not yet', { delay: 10 })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('10m')
    expect(t.cluster.requests.filter(({ verb }) => verb === 'patch')).toHaveLength(5)
  })
})

describe('handlers that are not called, or called for nothing', () => {
  it('`value: ABSENT` at creation asks for an absent field, and does not match always', async () => {
    const op = operator('defects')
    op.on.create(Kex, { field: 'spec.a', value: ABSENT }, function withoutA() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample({ a: 1 }))
    await t.settled()
    t.expect.called('withoutA/spec.a', 0)
  })

  it('an optional delete handler is called, also if nothing else holds the object', async () => {
    const op = operator('defects')
    op.on.delete(Kex, { optional: true }, function gone() {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, { ...sample(), metadata: { ...sample().metadata, finalizers: ['example.com/hold'] } })
    await t.settled()
    await t.cluster.delete(Kex, 'a')
    await t.settled()
    t.expect.called('gone', 1)
  })

  it('a timer that has failed for good is not called again', async () => {
    const op = operator('defects')
    op.timer(Kex, { interval: '10s' }, function ticking() {
      throw new PermanentError('in vain')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('10m')
    t.expect.called('ticking', 1)
  })

  it('a timeout interrupts a handler that runs', async () => {
    const op = operator('defects')
    await using t = await harness(op, { resources: [Kex], start: false })
    op.on.create(Kex, { timeout: '5s' }, async function endless({ signal }) {
      await t.clock.sleep(3600, signal)
    })
    await t.start()
    await t.cluster.create(Kex, sample())
    await t.advance('10s')
    expect(t.runs.of('endless').map(({ outcome }) => outcome)).toEqual(['permanent'])
  })

  it('a permanent failure is visible: an event of the object tells of it', async () => {
    const op = operator('defects')
    op.on.create(Kex, function failing() {
      throw new PermanentError('in vain')
    })
    op.on.delete(Kex, function failingToo() {
      throw new PermanentError('in vain as well')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.settled()
    await t.cluster.delete(Kex, 'a')
    await t.settled()
    await t.expect.object(Kex, 'a', undefined)
    const { items } = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(items.map(({ type }) => type)).toEqual(['Warning', 'Warning'])
  })
})

describe('orphan daemons', () => {
  it('a daemon whose object vanishes without a warning is stopped', async () => {
    const op = operator('defects')
    op.daemon(Kex, async ({ stopped }) => void (await stopped.wait()))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample())
    await t.advance('1s')
    await t.cluster.patch(Kex, 'a', { metadata: { finalizers: null } })
    await t.cluster.delete(Kex, 'a')
    await t.advance('1m')
    expect(t.health().background).toEqual({ running: 0, stopping: 0, abandoned: 0 })
  })
})

function fail(message: string): never {
  throw new Error(message)
}

/** Answers chosen requests of operators with an error, for as long as it refuses. */
function refusing(
  { cluster }: World,
  statusFor: (request: { readonly method: string; readonly path: string }) => number | undefined,
): { refuses: boolean; refused: number } {
  const line = { refuses: false, refused: 0 }
  if (!cluster) throw new TypeError('There is a cluster in a virtual world')
  const transport = cluster.transport.bind(cluster)
  cluster.transport = (options) => {
    const inner: Transport = transport(options)
    const refusal = (request: { readonly method: string; readonly path: string }) => {
      const code = line.refuses ? statusFor(request) : undefined
      if (code === undefined) return undefined
      line.refused++
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: `refused by a test`, code }
      const body = new TextEncoder().encode(JSON.stringify(status))
      return { status: code, headers: new Map([['content-type', 'application/json']]), body }
    }
    return {
      request: async (request) => refusal(request) ?? inner.request(request),
      stream: async (request) => {
        const refused = refusal(request)
        return refused ? { ...refused, body: once(refused.body) } : inner.stream(request)
      },
      [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    }
  }
  return line
}

async function* once(chunk: Uint8Array): AsyncIterable<Uint8Array> {
  yield chunk
}
