import type { Duration } from './duration.ts'
import { seconds } from './duration.ts'

/** How long to wait after the n-th failure, counted from 0. */
export interface BackoffPolicy {
  readonly '~backoff': true
  /** Seconds. */
  delay(attempt: number, random: () => number): number
}

export interface ExponentialOptions {
  /** @default '1s' */
  readonly initial?: Duration
  /** @default 2 */
  readonly factor?: number
  /** The longest wait, jitter included. @default '5m' */
  readonly max?: Duration
  /** Share of the wait by which it may be longer; spreads those who failed together. @default 0.2 */
  readonly jitter?: number
}

/** Growing waits: from `initial`, multiplied by `factor`, up to `max`, each spread by `jitter`. */
export function exponential(options: ExponentialOptions = {}): BackoffPolicy {
  const { factor = 2, jitter = 0.2 } = options
  const initial = seconds(options.initial ?? 1)
  const max = seconds(options.max ?? '5m')
  return {
    '~backoff': true,
    delay(attempt, random) {
      // The exponent is bounded, so that a handler that has failed for weeks does not reach Infinity times zero.
      const grown = initial * factor ** Math.min(attempt, 1000)
      return Math.min(max, Math.min(max, grown) * (1 + jitter * random()))
    },
  }
}

/** The waits of one thing that fails and recovers: each `next` is longer than the last, until `reset`. */
export class BackoffSequence {
  readonly #policy: BackoffPolicy
  readonly #random: () => number
  #attempt = 0

  constructor(policy: BackoffPolicy, random: () => number) {
    this.#policy = policy
    this.#random = random
  }

  /** Seconds to wait now. */
  next(): number {
    return this.#policy.delay(this.#attempt++, this.#random)
  }

  reset(): void {
    this.#attempt = 0
  }
}
