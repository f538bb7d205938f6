import { type Clock, type Duration, runtimeOf, seconds, systemClock } from '@binnacle/core'
import type { Surroundings } from '../options.ts'

/** How long an item must wait after its n-th failure. */
export interface RateLimiter<T> {
  /** Seconds. Counts as a failure of the item. */
  when(item: T): number
  forget(item: T): void
  numRequeues(item: T): number
}

/** Failures by item. */
class Failures<T> {
  readonly #counts = new Map<T, number>()

  /** How many there were before this one. */
  note(item: T): number {
    const before = this.of(item)
    this.#counts.set(item, before + 1)
    return before
  }

  of(item: T): number {
    return this.#counts.get(item) ?? 0
  }

  forget(item: T): void {
    this.#counts.delete(item)
  }
}

/** Doubles for each item, from 5 ms to 1000 s, with a jitter of 10 %; and over all items ten per second, after a hundred at once. */
export function defaultRateLimiter<T>(options: Pick<Surroundings, 'clock' | 'random'> = {}): RateLimiter<T> {
  const { clock, random } = options
  return maxOfRateLimiter(
    itemExponentialFailureRateLimiter<T>('5ms', '1000s', { jitter: 0.1, ...(random && { random }) }),
    bucketRateLimiter<T>(10, 100, clock ? { clock } : {}),
  )
}

/** `base`, doubled with each failure of the item, up to `max`; longer by a share of up to `jitter`, but never longer than `max`. */
export function itemExponentialFailureRateLimiter<T>(
  base: Duration,
  max: Duration,
  options: { readonly jitter?: number; readonly random?: () => number } = {},
): RateLimiter<T> {
  const { jitter = 0 } = options
  const { random } = runtimeOf(options)
  const [first, longest] = [seconds(base), seconds(max)]
  const failures = new Failures<T>()
  return {
    // 2 ** n becomes Infinity after some thousand failures, and the smaller of both is still `max`; but 0 times Infinity is nothing at all.
    when: (item) => {
      const grown = first * 2 ** Math.min(failures.note(item), 1000)
      return Math.min(longest, grown * (1 + jitter * random()))
    },
    forget: (item) => failures.forget(item),
    numRequeues: (item) => failures.of(item),
  }
}

/** Some fast attempts for each item, and slow ones after that. */
export function itemFastSlowRateLimiter<T>(fast: Duration, slow: Duration, fastAttempts: number): RateLimiter<T> {
  const failures = new Failures<T>()
  return {
    when: (item) => seconds(failures.note(item) < fastAttempts ? fast : slow),
    forget: (item) => failures.forget(item),
    numRequeues: (item) => failures.of(item),
  }
}

/** So many per second over all items, after so many at once. Knows nothing of single items. */
export function bucketRateLimiter<T>(
  perSecond: number,
  burst: number,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): RateLimiter<T> {
  let tokens = burst
  let at = clock.monotonic()
  return {
    when: () => {
      const now = clock.monotonic()
      // One is taken in any case. Below zero it is taken from the future, and has to be waited for.
      tokens = Math.min(burst, tokens + (now - at) * perSecond) - 1
      at = now
      return tokens >= 0 ? 0 : -tokens / perSecond
    },
    forget: () => {},
    numRequeues: () => 0,
  }
}

/** The longest wait of all. */
export function maxOfRateLimiter<T>(...limiters: readonly RateLimiter<T>[]): RateLimiter<T> {
  return {
    when: (item) => Math.max(0, ...limiters.map((limiter) => limiter.when(item))),
    forget: (item) => {
      for (const limiter of limiters) limiter.forget(item)
    },
    numRequeues: (item) => Math.max(0, ...limiters.map((limiter) => limiter.numRequeues(item))),
  }
}

export function withMaxWaitRateLimiter<T>(limiter: RateLimiter<T>, max: Duration): RateLimiter<T> {
  return {
    when: (item) => Math.min(seconds(max), limiter.when(item)),
    forget: (item) => limiter.forget(item),
    numRequeues: (item) => limiter.numRequeues(item),
  }
}
