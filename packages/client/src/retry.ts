import { APIError, NetworkError, type Runtime } from '@binnacle/core'
import { isTransient } from './network-error.ts'

/**
 * The only place where a request is made again.
 * Guarantees: a write is repeated only if it cannot have happened: 429, 503 with Retry-After, or never sent. Reads are repeated on 429,
 * on 5xx and on lost connections. Retry-After is honoured, and waits are spread by chance, so that those who failed together do not
 * come back together. A wait that would outlast the deadline is not begun: the error comes at once.
 * Does not guarantee: anything for watches, which whoever keeps them alive opens again by its own rules.
 */
export interface RetryOptions {
  /** Seconds of the waits, one for each retry. */
  readonly waits: readonly number[]
  readonly isRead: boolean
  /** Wait exactly as long as Retry-After says, and not at least as long. */
  readonly exactly?: boolean
  /** When to be done, by the monotonic clock. */
  readonly deadline: number
  /** Seconds. A server that asks for more is not waited for. */
  readonly longestWait: number
  readonly signal: AbortSignal
  /** Is told before each wait. */
  readonly onRetry: (error: unknown, wait: number) => void
}

/** Share of a wait by which it may be longer. */
const JITTER = 0.3

export async function withRetries<T>(runtime: Runtime, options: RetryOptions, attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      const wait = retryWait(error, failures, options, runtime.random)
      if (wait === undefined || wait > options.longestWait) throw error
      if (runtime.clock.monotonic() + wait >= options.deadline) throw error
      options.onRetry(error, wait)
      await runtime.clock.sleep(wait, options.signal)
    }
  }
}

/** Seconds to wait before the next attempt; undefined if there shall be none. Pure. */
export function retryWait(
  error: unknown,
  failures: number,
  { waits, isRead, exactly = false }: Pick<RetryOptions, 'waits' | 'isRead' | 'exactly'>,
  random: () => number,
): number | undefined {
  const wait = waits[failures]
  if (wait === undefined || !isWorthRepeating(error, isRead)) return undefined
  const atLeast = error instanceof APIError && typeof error.retryAfter === 'number' ? error.retryAfter : 0
  if (exactly && atLeast > 0) return atLeast
  return Math.max(wait, atLeast) * (1 + JITTER * random())
}

function isWorthRepeating(error: unknown, isRead: boolean): boolean {
  if (error instanceof NetworkError) return isTransient(error) && (isRead || !error.mayHaveCommitted)
  if (!(error instanceof APIError)) return false
  if (error.code === 429) return true
  if (isRead) return error.code >= 500 && error.code !== 501
  return error.code === 503 && error.retryAfter !== undefined
}
