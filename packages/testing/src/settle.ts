import { BinnacleError } from '@binnacle/core'

/** What keeps going at this moment, in words; empty at rest. */
export type Activity = () => readonly string[]

/** Turns of the event loop without activity after which nothing will come by itself: a line of a watch takes a few from the server to a handler. */
const QUIET_TURNS = 12

/** Threads compute in real time, which no turn of the event loop hurries: so many milliseconds between looks at them, and in all. */
const THREADS = 'worker threads compute'
const LOOK = 2
const PATIENCE = 60_000

/** A turn of the event loop; while threads compute, a short while. Counts in turns: a thread that computes for ever is restless, too. */
async function turnOf(activity: Activity, limit: number): Promise<number> {
  const threads = activity().includes(THREADS)
  await new Promise((resolve) => (threads ? setTimeout(resolve, LOOK) : setImmediate(resolve)))
  return threads ? (limit * LOOK) / PATIENCE : 1
}

/**
 * Resolves when nothing is in flight. Everything in a virtual world runs by microtasks and turns of the event loop, so it comes to rest
 * without the help of time; whoever waits for time is at rest.
 * Rejects with what keeps going, after `limit` turns.
 */
export async function settle(activity: Activity, limit: number): Promise<void> {
  for (let turn = 0, quiet = 0; quiet < QUIET_TURNS; ) {
    turn += await turnOf(activity, limit)
    quiet = activity().length === 0 ? quiet + 1 : 0
    if (turn > limit) throw restless(activity(), limit)
  }
}

/** Turns in which the same things were going on, after which they count as waiting: for time, or for the test itself. */
const PATIENT_TURNS = 100

/** As `settle`, but whoever has been at the same thing for long is taken to wait for time, and is not waited for. */
export async function rest(activity: Activity, limit: number): Promise<void> {
  let before = ''
  for (let turn = 0, quiet = 0; quiet < (before === '' ? QUIET_TURNS : PATIENT_TURNS); ) {
    turn += await turnOf(activity, limit)
    const now = activity().join()
    quiet = now === before && !now.includes(THREADS) ? quiet + 1 : 0
    before = now
    if (turn > limit) throw restless(activity(), limit)
  }
}

function restless(activity: readonly string[], limit: number): BinnacleError {
  return new BinnacleError('BIN_NOT_SETTLED', {
    message: `Still going after ${limit} turns: ${activity.join(', ') || 'something that comes and goes'}`,
    hint: 'A handler that never ends, or two that undo each other, keep an operator from coming to rest.',
  })
}
