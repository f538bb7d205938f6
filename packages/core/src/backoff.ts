import type { Duration } from './duration.ts'
import { seconds } from './duration.ts'
import { BinnacleError } from './errors.ts'

/** How long to wait after the n-th failure, counted from 0. */
export interface BackoffPolicy {
  readonly '~backoff': true
  /** Seconds. */
  delay(attempt: number, random: () => number): number
}

export interface ExponentialOptions {
  /** @default '1s' */
  readonly initial?: Duration
  /** At least 1. @default 2 */
  readonly factor?: number
  /** The longest wait, jitter included. @default '5m' */
  readonly max?: Duration
  /** Share of the wait by which it may be longer; spreads those who failed together, at `max` as well. @default 0.2 */
  readonly jitter?: number
}

/** Growing waits: from `initial`, multiplied by `factor`, up to `max`, each spread by `jitter`. */
export function exponential(options: ExponentialOptions = {}): BackoffPolicy {
  const { factor = 2, jitter = 0.2 } = options
  const initial = seconds(options.initial ?? 1)
  const max = seconds(options.max ?? '5m')
  if (!(factor >= 1) || !(jitter >= 0 && jitter < Number.POSITIVE_INFINITY)) throw refusal(factor, jitter)
  // What is spread afterwards must leave room for it: cut to `max` after the spreading, all would wait equally long again.
  const longest = max / (1 + jitter)
  return {
    '~backoff': true,
    delay(attempt, random) {
      // Zero stays zero: after enough failures it would be multiplied by Infinity.
      const grown = initial === 0 ? 0 : initial * factor ** attempt
      return Math.min(max, Math.min(longest, grown) * (1 + jitter * random()))
    },
  }
}

function refusal(factor: number, jitter: number): BinnacleError {
  return new BinnacleError('BIN_SETTINGS', {
    message: `Waits cannot grow by the factor ${factor} with a jitter of ${jitter}`,
    hint: 'Give a factor of at least 1 and a jitter that is not negative, such as { factor: 2, jitter: 0.2 }.',
  })
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
