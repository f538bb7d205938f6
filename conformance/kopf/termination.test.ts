import { type Harness, harness } from '@binnacle/testing'
import { operator, type StopReason } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/**
 * The termination of daemons as a table: how a daemon behaves × its two limits × why it must end. All times are seconds since it was asked to
 * stop, on the virtual clock.
 */
const BACKOFF = 3
const TIMEOUT = 4
const LATE = 2
/** `settings.process.exitGrace`, and what writes get after it. */
const EXIT_GRACE = 5
const LAST_WRITES = 2
const NEVER = Number.POSITIVE_INFINITY

const BEHAVIOURS = ['exits at once', 'exits late', 'ignores stop', 'ignores cancel'] as const
const CAUSES = [
  'object deleted',
  'filters stop matching',
  'operator exits',
  'finalizer stripped',
  'force-deleted',
] as const
type Behaviour = (typeof BEHAVIOURS)[number]
type Cause = (typeof CAUSES)[number]
interface Cell {
  readonly behaviour: Behaviour
  readonly backoff: number | undefined
  readonly timeout: number | undefined
  readonly cause: Cause
}

const CELLS: readonly Cell[] = BEHAVIOURS.flatMap((behaviour) =>
  [undefined, BACKOFF].flatMap((backoff) =>
    [undefined, TIMEOUT].flatMap((timeout) => CAUSES.map((cause) => ({ behaviour, backoff, timeout, cause }))),
  ),
)

/** What must happen, and when. */
interface Story {
  readonly why: string
  readonly cancelled: number
  readonly ended: number
  readonly abandoned: number
}

/** The words of 004, "Timeouts", as a function. */
function expected({ behaviour, backoff = 0, timeout, cause }: Cell): Story {
  const exits = cause === 'operator exits'
  const force = timeout === undefined ? (exits ? EXIT_GRACE : NEVER) : exits ? Math.min(backoff, EXIT_GRACE) : backoff
  const giveUp = timeout === undefined ? (exits ? EXIT_GRACE + LAST_WRITES : NEVER) : backoff + timeout
  const endsBy = { 'exits at once': 0, 'exits late': LATE, 'ignores stop': force, 'ignores cancel': NEVER }[behaviour]
  // One that ends within the turn in which it is asked to sees no force.
  const cancelled = behaviour === 'exits at once' || force > endsBy ? NEVER : force
  return {
    why:
      { 'filters stop matching': 'filters-mismatch', 'operator exits': 'operator-exiting' }[cause as string] ??
      'resource-deleted',
    cancelled: behaviour === 'exits late' && force >= LATE ? NEVER : cancelled,
    ended: endsBy,
    abandoned: endsBy <= giveUp ? NEVER : giveUp,
  }
}

interface Observed {
  asked: number
  cancelled: number
  ended: number
  reason: StopReason | undefined
}

function daemonOf({ behaviour, backoff, timeout }: Cell, observed: Observed, clock: () => Harness['clock']) {
  const op = operator('terminator')
  op.daemon(
    Kex,
    {
      id: 'd',
      labels: { run: 'yes' },
      ...(backoff !== undefined && { cancellationBackoff: backoff }),
      ...(timeout !== undefined && { cancellationTimeout: timeout }),
    },
    async ({ stopped, signal }) => {
      const now = () => clock().monotonic()
      const forced = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      void forced.then(() => {
        observed.cancelled = now() - observed.asked
      })
      const asked = new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve()))
      void asked.then(() => {
        observed.asked = now()
        observed.reason = stopped.reason
      })
      if (behaviour === 'exits at once') await stopped.wait()
      if (behaviour === 'exits late') await asked.then(() => clock().sleep(LATE))
      if (behaviour === 'ignores stop') await forced
      if (behaviour === 'ignores cancel') await new Promise(() => {})
      observed.ended = now() - observed.asked
    },
  )
  return op
}

async function bringAbout(t: Harness, cause: Cause): Promise<void> {
  switch (cause) {
    case 'object deleted':
      return void (await t.cluster.delete(Kex, 'default/a'))
    case 'filters stop matching':
      return void (await t.cluster.patch(Kex, 'default/a', { metadata: { labels: { run: 'no' } } }))
    case 'operator exits':
      return t.stop()
    case 'finalizer stripped':
      await t.cluster.delete(Kex, 'default/a')
      return void (await t.cluster.patch(Kex, 'default/a', { metadata: { finalizers: null } }))
    case 'force-deleted':
      // Out of sight of the operator, which would put its finalizer back.
      t.link.sever()
      await t.cluster.patch(Kex, 'default/a', { metadata: { finalizers: null } })
      await t.cluster.delete(Kex, 'default/a')
      t.link.restore()
  }
}

/** Lets time pass until the daemon is asked to stop, and then second by second; tells when the object was let go. */
async function watch(t: Harness, observed: Observed, seconds: number): Promise<number> {
  await t.advance(0)
  for (let turn = 0; Number.isNaN(observed.asked) && turn < 100; turn++) await t.advance(1)
  let released = NEVER
  await t.advance(Math.ceil(t.clock.monotonic() - observed.asked) - (t.clock.monotonic() - observed.asked))
  for (let second = Math.round(t.clock.monotonic() - observed.asked); second <= seconds; second++) {
    const object = await t.cluster.find(Kex, 'default/a')
    if (!object?.metadata.finalizers?.length) released = Math.min(released, second)
    await t.advance(1)
  }
  return released
}

const inWords = ({ behaviour, backoff, timeout, cause }: Cell) =>
  `${cause}, ${behaviour}, backoff ${backoff ?? 'unset'}, timeout ${timeout ?? 'unset'}`

describe('the termination of a daemon', () => {
  it.each(CELLS.map((cell) => [inWords(cell), cell] as const))('%s', async (_, cell) => {
    const observed: Observed = { asked: Number.NaN, cancelled: NEVER, ended: NEVER, reason: undefined }
    let t: Harness | undefined
    const op = daemonOf(cell, observed, () => (t as Harness).clock)
    await using opened = await harness(op, { resources: [Kex], start: false })
    t = opened
    await t.start()
    await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'a', labels: { run: 'yes' } }, spec: {} })
    await t.advance(1)
    const story = expected(cell)
    await bringAbout(t, cell.cause)
    const exitTook = cell.cause === 'operator exits' ? t.clock.monotonic() - observed.asked : Number.NaN
    const released = await watch(t, observed, 10)

    expect(observed.reason?.why).toBe(story.why)
    expect(observed.cancelled).toBeCloseTo(story.cancelled, 3)
    expect(observed.ended).toBeCloseTo(story.ended, 3)
    const given = story.abandoned < NEVER
    const stage = given ? 'abandoned' : story.cancelled < NEVER ? 'cancelled' : 'signalled'
    expect(observed.reason?.stage).toBe(stage)
    const warnings = t.logs.filter(({ message }) => message.includes('is left to itself'))
    expect(warnings.map(({ level }) => level)).toEqual(given ? ['warn'] : [])

    const over = Math.min(story.ended, story.abandoned)
    switch (cell.cause) {
      case 'object deleted':
      case 'filters stop matching':
        expect(released).toBe(over)
        break
      case 'operator exits':
        expect(exitTook).toBeCloseTo(over, 3)
        expect(released).toBe(NEVER)
        break
      default:
        // Nothing holds it any more, whatever the daemon does.
        expect(await t.cluster.find(Kex, 'default/a')).toBeUndefined()
    }
    if (cell.cause === 'operator exits' || over < NEVER) return
    await t.advance('2m')
    const polls = t.logs.filter(({ message }) => /has not ended \d+ s after it was asked/.test(message))
    expect(polls.length).toBe(2)
    expect(t.health().background).toEqual({ running: 0, stopping: 1, abandoned: 0 })
  })
})
