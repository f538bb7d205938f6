import {
  delay,
  delayEvents,
  dropConnection,
  duplicateEvents,
  type Effect,
  endWatch,
  expire,
  type FaultMatch,
  failWatch,
  garble,
  loseResponse,
  respond,
  slowDown,
  stall,
  truncate,
} from '@binnacle/testing'
import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { faultyStage, isHandledBy, PAUSE, type Scene } from './world.ts'

/**
 * One story under faults, in three worlds: on virtual time, over HTTP in real time, and before a real kube-apiserver through a proxy. The faults
 * are laid in the same words everywhere; these are those that a proxy can do.
 */
const { scene } = faultyStage(Widget)

/** Silence after which a watch counts as dead. */
const settings = { watching: { inactivityTimeout: PAUSE * 5 } }

/** Makes a child under a name that follows from its owner, and takes it away again. */
function careful() {
  const op = operator('careful')
  op.on.create(Widget, { id: 'make', backoff: PAUSE }, async ({ name, spec, client }) => {
    const child = { metadata: { name: `${name}-child` }, data: { n: String(spec.n) } }
    await client.apply('configmaps', child, { timeout: PAUSE * 20 })
  })
  op.on.update(Widget, { id: 'change', backoff: PAUSE }, async ({ name, spec, client }) => {
    await client.apply('configmaps', { metadata: { name: `${name}-child` }, data: { n: String(spec.n) } })
  })
  op.on.delete(Widget, { id: 'end', backoff: PAUSE }, async ({ name, client }) => {
    if (await client.find('configmaps', `${name}-child`)) await client.delete('configmaps', `${name}-child`)
  })
  return op
}

/** Born, changed, deleted: in the end nothing is left, whatever has struck. */
async function life(s: Scene, strike: () => void = () => {}) {
  const subject = await s.start(careful(), { settings })
  strike()
  await s.client.create(Widget, { metadata: { name: 'a' }, spec: { n: 1 } })
  await s.until(Widget, 'a', isHandledBy('careful'))
  await s.client.patch(Widget, 'a', { spec: { n: 2 } })
  const { data } = await s.until('configmaps', 'a-child', ({ data: found }) => found?.['n'] === '2')
  expect(data).toEqual({ n: '2' })
  await s.until(Widget, 'a', isHandledBy('careful'))
  await s.client.delete(Widget, 'a')
  await s.untilGone(Widget, 'a')
  expect(await s.client.find('configmaps', 'a-child')).toBeUndefined()
  return subject
}

/** Requests of the operator, in the namespace of the scene. */
const struck = (s: Scene, match: FaultMatch): FaultMatch => ({ user: 'operator', namespace: s.namespace, ...match })

const patches: FaultMatch = { verb: 'patch', resource: Widget }
const applies: FaultMatch = { verb: 'apply', resource: 'configmaps' }
const watches: FaultMatch = { verb: 'watch', resource: Widget }
const events: FaultMatch = { resource: Widget, event: 'MODIFIED' }

const FAULTS: readonly [what: string, match: FaultMatch, effect: Effect][] = [
  ['the answer to its own write is lost', patches, loseResponse()],
  ['the answer to a write of a handler is lost', applies, loseResponse()],
  ['the connection is reset before a write', patches, dropConnection()],
  ['a write is refused with 409', patches, respond(409)],
  ['a write is refused with 429 and Retry-After', patches, respond(429, { retryAfter: 1 })],
  ['a write is refused with 500', applies, respond(500)],
  ['a write is refused by a load balancer', patches, respond(502, { as: 'html' })],
  ['a write times out after it has happened', patches, respond(504, { after: 'commit' })],
  ['an answer comes late', patches, delay(PAUSE, { after: 'commit' })],
  ['an answer trickles', patches, slowDown(2000)],
  ['an answer is cut short', patches, truncate(20)],
  ['an answer is garbled', patches, garble()],
  ['a write is never answered', applies, stall({ after: 'commit' })],
  ['the watch ends', events, endWatch()],
  ['the watch breaks', events, dropConnection()],
  ['the watch expires in the stream (410)', events, expire()],
  ['the watch fails with 500', events, failWatch(500)],
  ['the watch falls silent', events, stall()],
  ['an event comes late', events, delayEvents(PAUSE)],
  ['an event comes twice', events, duplicateEvents()],
]

describe('a life goes its way when', () => {
  it.each(FAULTS)('%s', async (_, match, effect) => {
    await using s = await scene()
    let fired = () => 0
    const subject = await life(s, () => {
      const fault = s.world.faults.once(struck(s, match), effect)
      fired = () => fault.fired
    })
    expect(fired()).toBe(1)
    for (const handler of ['make', 'change', 'end']) {
      expect(subject.runs.of(handler).some(({ outcome }) => outcome === 'success')).toBe(true)
    }
    expect(subject.ledger.finalizers.held).toEqual([])
  })

  it('the first watch is refused, too old, or throttled', async () => {
    for (const effect of [respond(503), expire({ as: 'answer' }), respond(429, { retryAfter: 1 })]) {
      await using s = await scene()
      const fault = s.world.faults.once(struck(s, watches), effect)
      await life(s)
      expect(fault.fired).toBe(1)
    }
  })
})

describe('a process that is killed', () => {
  it.each([
    ['when its finalizer has been written', { verb: 'patch', resource: Widget }],
    ['when its handler has written a child', { verb: 'apply', resource: 'configmaps' }],
  ] as const)('%s goes on where it was', async (_, after) => {
    await using s = await scene()
    const subject = await s.start(careful(), { settings })
    const crashed = s.world.crashAfter(subject, { ...after, namespace: s.namespace })
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { n: 1 } })
    await crashed
    await s.until(Widget, 'a', isHandledBy('careful'))
    expect((await s.client.get('configmaps', 'a-child')).data).toEqual({ n: '1' })
    expect(subject.ledger.timeline).toContain('the operator was killed')
  })
})

it('a deletion that nobody saw because the watch was dead is noticed by the next list', async () => {
  await using s = await scene()
  const seen: string[] = []
  const op = operator('watcher')
  op.on.create(Widget, { id: 'made' }, () => {})
  op.on.delete(Widget, { id: 'gone', optional: true }, ({ name }) => void seen.push(name))
  await s.start(op, { settings })
  for (const name of ['a', 'b']) await s.client.create(Widget, { metadata: { name }, spec: {} })
  for (const name of ['a', 'b']) await s.until(Widget, name, isHandledBy('watcher'))
  s.world.faults.once(struck(s, { resource: Widget, event: 'DELETED', name: 'a' }), expire())
  await s.client.delete(Widget, 'a')
  await s.when(() => seen.length > 0)
  await s.settled()
  expect(seen).toEqual(['a'])
})
