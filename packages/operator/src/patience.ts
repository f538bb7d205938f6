import { aborted, type Clock } from '@binnacle/core'

/** Waits for the work, for so many seconds at the most. Its signal aborts when they are over; the work itself is not stopped. */
export async function within(
  clock: Clock,
  patience: number,
  work: (impatient: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const impatient = new AbortController()
  const slept = new AbortController()
  const timer = clock.sleep(patience, slept.signal).then(
    () => impatient.abort(),
    () => {},
  )
  await Promise.race([work(impatient.signal), aborted(impatient.signal)])
  slept.abort()
  await timer
}

/** Lets go of what was made at the start, if it can be let go of. */
export async function dispose(shared: unknown): Promise<void> {
  if (typeof shared !== 'object' || shared === null) return
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = shared as Partial<AsyncDisposable & Disposable>
  if (later) await later.call(shared)
  else now?.call(shared)
}
