/**
 * Notices an object that is handled again and again because of what its own handlers write, and slows it down.
 * Guarantees: pure; the first rounds pass at once, then each waits twice as long as the one before, up to a limit; whatever others change is
 * handled at once; when it has been quiet, the object is as good as new.
 */
export interface Loop {
  /** Rounds in a row that nobody else has caused. */
  readonly rounds: number
  /** The last of them, on the monotonic clock. */
  readonly at: number
  /** Before that, the next one may not begin. */
  readonly until: number
  /** Who ran in it. */
  readonly handlers: readonly string[]
}

export const NO_LOOP: Loop = { rounds: 0, at: 0, until: 0, handlers: [] }

/** A handler may well answer its own change some times until it is content. */
const FREE_ROUNDS = 10
/** Seconds: the first wait, and the longest. */
const FIRST_WAIT = 0.1
const LONGEST_WAIT = 60
/** Seconds without a round, beyond the wait itself, after which the loop is over. */
const QUIET = 5

/** One more round that the object itself has caused. */
export function oneMore(loop: Loop, now: number, handlers: readonly string[]): Loop {
  const rounds = isOver(loop, now) ? 1 : loop.rounds + 1
  return { rounds, at: now, until: now + waitAfter(rounds), handlers }
}

/** Somebody else has changed the object: it is handled at once. */
export function eased(loop: Loop): Loop {
  return { ...loop, rounds: 0, until: 0 }
}

/** Seconds between two rounds; 0 while it is not slowed down. */
export function waitAfter(rounds: number): number {
  return rounds <= FREE_ROUNDS ? 0 : Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (rounds - FREE_ROUNDS - 1))
}

/** Whether the object is slowed down now. */
export function isSlowed(loop: Loop, now: number): boolean {
  return waitAfter(loop.rounds) > 0 && !isOver(loop, now)
}

/** Seconds for which a look that only the object itself has caused must wait. */
export function heldBack(loop: Loop, now: number): number {
  return Math.max(0, loop.until - now)
}

function isOver({ at, until, rounds }: Loop, now: number): boolean {
  return rounds > 0 && now - Math.max(at, until) > QUIET + waitAfter(rounds)
}
