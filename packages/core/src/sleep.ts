import type { Clock } from './clock.ts'
import type { Duration } from './duration.ts'

/** The sleep of any clock that can call back. */
export function sleepBy(clock: Pick<Clock, 'after'>, duration: Duration, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      callOff()
      reject(signal?.reason)
    }
    const callOff = clock.after(duration, () => {
      signal?.removeEventListener('abort', abort)
      resolve()
    })
    signal?.addEventListener('abort', abort, { once: true })
  })
}
