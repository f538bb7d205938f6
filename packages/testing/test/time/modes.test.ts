import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, type HarnessOptions, harness } from '../../src/index.ts'
import { Kex } from '../kex.ts'

const SECONDS = 1000

/** Tries again after a while, and writes down what time it is by the clock of the operator, as the cluster does by its own. */
function patient(clock: () => Harness['clock']) {
  const op = operator('patient')
  op.on.create(Kex, { id: 'wait' }, ({ retry, patch, meta }) => {
    if (retry < 3) throw new TemporaryError('not yet', { delay: '30s' })
    patch.status.age = clock().now().getTime() - Date.parse(meta.creationTimestamp ?? '')
  })
  return op
}

async function story(options: HarnessOptions, wait: (t: Harness) => Promise<unknown>): Promise<number> {
  const op = patient(() => t.clock)
  const t = await harness(op, { resources: [Kex], start: false, ...options })
  await using _ = t
  await t.start()
  await t.cluster.create(Kex, { metadata: { name: 'a' }, spec: {} })
  await wait(t)
  t.expect.called('wait', 4)
  return (await t.cluster.get(Kex, 'a')).status?.age
}

const handled = (t: Harness) => t.until(Kex, 'a', (object) => object?.status?.age !== undefined, { within: '10m' })

describe('one clock for the cluster and the operator', () => {
  it('stands still until the story moves it, and moves by as much as it says', async () => {
    const age = await story({}, (t) => t.advance('2m'))
    expect(age).toBe(90 * SECONDS)
  })

  it('moves by itself when it is automatic: the story just waits', async () => {
    const began = performance.now()
    const age = await story({ time: 'automatic' }, (t) => t.clock.sleep('1d'))
    expect(age).toBe(90 * SECONDS)
    expect(performance.now() - began).toBeLessThan(86_400 * SECONDS)
  })

  it('moves by itself for stories that wait for an object, too', async () => {
    expect(await story({ time: 'automatic' }, handled)).toBe(90 * SECONDS)
  })

  it('passes as many times as fast when it is scaled, over HTTP', async () => {
    const age = await story({ time: { scale: 100 } }, handled)
    // Timestamps of objects have whole seconds, and a busy machine may be late by a moment, which is scaled, too.
    expect(age).toBeGreaterThanOrEqual(90 * SECONDS)
    expect(age).toBeLessThan(600 * SECONDS)
  })
})

describe('automatic time', () => {
  it('does not pass while something can run', async () => {
    const op = operator('busy')
    const seen: number[] = []
    op.on.create(Kex, async () => {
      for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve))
      seen.push(t.clock.monotonic())
    })
    const t = await harness(op, { resources: [Kex], time: 'automatic' })
    await using _ = t
    const began = t.clock.monotonic()
    await t.cluster.create(Kex, { metadata: { name: 'a' }, spec: {} })
    await t.settled()
    expect(seen[0]).toBeLessThan(began + 120)
  })

  it('goes on by timers and bookmarks for days without harm, and ends with the story', async () => {
    const op = operator('steady')
    op.timer(Kex, { id: 'tick', interval: '1h' }, () => {})
    await using t = await harness(op, { resources: [Kex], time: 'automatic' })
    await t.cluster.create(Kex, { metadata: { name: 'a' }, spec: {} })
    await t.clock.sleep('1d')
    expect(t.runs.of('tick').length).toBeGreaterThanOrEqual(24)
    expect(t.runs.of('tick').length).toBeLessThanOrEqual(26)
  })
})
