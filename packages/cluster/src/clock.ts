/**
 * Where the cluster's time comes from: timestamps, bookmarks, watch deadlines, waits for a version.
 * Any clock of the same shape will do; a virtual one makes every wait of the cluster virtual.
 */
export interface Clock {
  /** Wall-clock time, for stored timestamps. */
  now(): Date
  /** Seconds that only grow, for every wait and every age. */
  monotonic(): number
  /** Resolves after so many seconds; rejects with the signal's reason when aborted first. The cluster passes numbers only. */
  sleep(seconds: number | string, signal?: AbortSignal): Promise<void>
}

/** The system's time. This is the only place of the package that asks for it. */
export const realClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now() / 1000,
  sleep: (seconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, Number(seconds) * 1000)
      signal?.addEventListener('abort', stop, { once: true })
    }),
}

/** Kubernetes' Time: UTC, whole seconds. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`
}
