import { operator, TemporaryError } from 'binnacle'
import { expect, it } from 'vitest'
import type { OperatorUnderTest } from '../../src/operator-under-test.ts'
import { World } from '../../src/world.ts'
import { Kex } from '../kex.ts'

/** A life with everything in it: three handlers at creation, one of which retries, an update in the middle, steps, and a deletion. */
function scripted() {
  const op = operator('lives')
  op.on.create(Kex, { id: 'first' }, () => 'one')
  op.on.create(Kex, { id: 'second' }, ({ retry }) => {
    if (retry < 2) throw new TemporaryError('not yet', { delay: 10 })
    return 'two'
  })
  op.on.create(Kex, { id: 'third' }, async ({ step }) => await step('part', () => 'three'))
  op.on.update(Kex, { id: 'change' }, ({ current }) => ({ field: current.spec.field }))
  op.on.delete(Kex, { id: 'end' }, ({ retry }) => {
    if (retry < 1) throw new TemporaryError('not yet', { delay: 10 })
  })
  return op
}

/** What the world looks like before the end, and how often each handler has succeeded. */
interface Outcome {
  readonly status: unknown
  readonly marks: readonly string[]
  readonly gone: boolean
  readonly succeeded: { readonly [handler: string]: number }
}

async function live(disturb: (subject: OperatorUnderTest) => void): Promise<Outcome & { readonly writes: number }> {
  await using world = await World.virtual({ resources: [Kex] })
  const subject = await world.start(scripted())
  disturb(subject)
  await world.client.create(Kex, { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } })
  await rest(world, subject)
  await world.client.patch(Kex, 'default/a', { spec: { field: 'y' } })
  await rest(world, subject)
  const { status, metadata } = await world.client.get(Kex, 'default/a')
  await world.client.delete(Kex, 'default/a')
  await rest(world, subject)
  const succeeded: { [handler: string]: number } = {}
  for (const { handler, outcome } of subject.runs)
    if (outcome === 'success') succeeded[handler] = (succeeded[handler] ?? 0) + 1
  return {
    status,
    marks: Object.keys(metadata.annotations ?? {}),
    gone: (await world.client.find(Kex, 'default/a')) === undefined,
    succeeded,
    writes: subject.ledger.writes.length,
  }
}

/** Lets time pass, in steps that are shorter than any delay, so that a killed operator is gone before it could go on; and starts it anew. */
async function rest(world: World, subject: OperatorUnderTest): Promise<void> {
  for (let step = 0; step < 15; step++) {
    await world.advance('3s')
    if (killed.delete(subject)) await subject.crash()
  }
}
const killed = new Set<OperatorUnderTest>()

/** Kills the operator right after its n-th write: the write has arrived, and nothing that it does from then on. */
const killAfter = (n: number) => (subject: OperatorUnderTest) => {
  const { ledger } = subject
  const push = ledger.writes.push.bind(ledger.writes)
  let count = 0
  ledger.writes.push = (...writes) => {
    count += writes.length
    if (count === n) {
      subject.link.sever()
      killed.add(subject)
    }
    return push(...writes)
  }
}

it('a crash after any write changes neither what comes of an object, nor what was finished before', async () => {
  const { writes, ...undisturbed } = await live(() => {})
  expect(undisturbed).toEqual({
    status: { first: 'one', second: 'two', third: 'three', 'third/part': 'three', change: { field: 'y' } },
    marks: ['lives.binnacle.dev/last-handled-configuration'],
    gone: true,
    succeeded: { first: 1, second: 1, third: 1, 'third/part': 1, change: 1, end: 1 },
  })
  expect(writes).toBeGreaterThan(8)
  for (let n = 1; n <= writes; n++) {
    const { writes: _, succeeded, ...crashed } = await live(killAfter(n))
    expect({ n, ...crashed }).toEqual({ n, status: undisturbed.status, marks: undisturbed.marks, gone: true })
    // What was finished in the killed cycle, and not written yet, is done once more; nothing is done less, and nothing three times.
    for (const [handler, times] of Object.entries(succeeded)) expect([1, 2], `${handler}, ${n}`).toContain(times)
    expect(Object.keys(succeeded).sort()).toEqual(Object.keys(undisturbed.succeeded).sort())
  }
}, 60_000)
