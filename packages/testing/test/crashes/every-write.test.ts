import type { Transport, TransportRequest } from '@binnacle/client'
import { NetworkError } from '@binnacle/core'
import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import type { OperatorUnderTest } from '../../src/operator-under-test.ts'
import { World } from '../../src/world.ts'
import { Kex } from '../kex.ts'

/** A life with everything in it: three handlers at creation, one of which retries, an update in the middle, steps, and a deletion. */
function scripted() {
  const op = operator('lives')
  op.on.create(Kex, { id: 'first' }, ({ spec }) => spec.field)
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

/** What the world looks like before the end, and how often each handler has come to which outcome. */
interface Outcome {
  readonly status: unknown
  readonly marks: readonly string[]
  readonly gone: boolean
  readonly ledger: { readonly [handlerAndOutcome: string]: number }
}

/** What happens to the n-th write of the operator, once the server has done it. */
type Disturbance = (subject: OperatorUnderTest) => void

/** Where the update falls: while the second handler still waits for its next attempt, or when the creation is over. */
type Moment = 'while a handler retries' | 'between'

async function live(moment: Moment, n: number, disturb: Disturbance): Promise<Outcome & { readonly writes: number }> {
  await using world = await World.virtual({ resources: [Kex] })
  const line = tapped(world, n, () => disturb(subject))
  const subject = await world.start(scripted())
  await world.client.create(Kex, { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } })
  await rest(world, subject, moment === 'between' ? 15 : 4)
  await world.client.patch(Kex, 'default/a', { spec: { field: 'y' } })
  await rest(world, subject, 15)
  const { status, metadata } = await world.client.get(Kex, 'default/a')
  await world.client.delete(Kex, 'default/a')
  await rest(world, subject, 15)
  return {
    status,
    marks: Object.keys(metadata.annotations ?? {}),
    gone: (await world.client.find(Kex, 'default/a')) === undefined,
    ledger: counted(subject.runs.map(({ handler, outcome }) => `${handler} ${outcome}`)),
    writes: line.writes,
  }
}

function counted(words: readonly string[]): Outcome['ledger'] {
  const counts: { [word: string]: number } = {}
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1
  return counts
}

/** Lets time pass, in steps that are shorter than any delay, so that a killed operator is gone before it could go on; and starts it anew. */
async function rest(world: World, subject: OperatorUnderTest, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await world.advance('3s')
    if (killed.delete(subject)) await subject.crash()
  }
}
const killed = new Set<OperatorUnderTest>()

/** Listens at the server's end of every line: the n-th write is done, then disturbed, and its answer never arrives. */
function tapped(world: World, n: number, disturb: () => void): { readonly writes: number } {
  const count = { writes: 0 }
  const { cluster } = world
  if (!cluster) throw new TypeError('There is a cluster in a virtual world')
  const transport = cluster.transport.bind(cluster)
  cluster.transport = (options) => {
    const inner: Transport = transport(options)
    const request = async (asked: TransportRequest) => {
      const answer = await inner.request(asked)
      if (asked.method === 'GET' || answer.status >= 300) return answer
      count.writes++
      if (count.writes !== n) return answer
      disturb()
      throw new NetworkError({ message: 'The connection broke', mayHaveCommitted: true, hint: 'A test has broken it.' })
    }
    const stream = (asked: TransportRequest) => inner.stream(asked)
    return { request, stream, [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose]() }
  }
  return count
}

/** How often a handler may be called once more for it: a crash forgets what was not written yet, a lost answer forgets nothing. */
const DISTURBANCES: readonly (readonly [what: string, again: 0 | 1, Disturbance])[] = [
  [
    'a crash after any write',
    1,
    (subject) => {
      subject.link.sever()
      killed.add(subject)
    },
  ],
  ['the loss of the answer to any write', 0, () => {}],
  ['the loss of the whole line after any write', 0, (subject) => subject.link.cut()],
]

describe.each(DISTURBANCES)('%s', (_, again, disturb) => {
  it.each([['between'], ['while a handler retries']] as const)(
    'changes neither what comes of an object, nor what was finished before; update %s',
    async (moment) => {
      const { writes, ...undisturbed } = await live(moment, 0, () => {})
      expect(undisturbed).toMatchObject({
        status: { first: expect.any(String), second: 'two', third: 'three', 'third/part': 'three' },
        marks: ['lives.binnacle.dev/last-handled-configuration'],
        gone: true,
      })
      expect(writes).toBeGreaterThan(8)
      for (let n = 1; n <= writes; n++) {
        const { writes: _, ledger, ...disturbed } = await live(moment, n, disturb)
        expect({ n, ...disturbed }).toEqual({ n, status: undisturbed.status, marks: undisturbed.marks, gone: true })
        for (const [what, times] of Object.entries(undisturbed.ledger))
          expect([times, times + again], `${what}, write ${n}`).toContain(ledger[what])
        expect(Object.keys(ledger).sort()).toEqual(Object.keys(undisturbed.ledger).sort())
      }
    },
    60_000,
  )
})
