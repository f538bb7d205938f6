/**
 * Waiting that can be given up.
 * Guarantees: a wait that has ended, either way, has no listener left on the signal it was given. `AbortSignal.any` does not promise
 * that on Node 20, where a long-lived signal keeps what was derived from it (nodejs/node#54614).
 */

/** The promise's outcome, or the signal's reason if that comes first. The work behind the promise is not stopped by it. */
export function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return Promise.resolve(promise)
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
    // Also when it is given up from the beginning: a promise that fails later and that nobody listens to would end the process.
    promise.then(
      (value) => {
        signal.removeEventListener('abort', abort)
        resolve(value)
      },
      (error) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
    )
  })
}

/** Resolves when the signal aborts. Listens until then: to race something against a signal, use `abortable`. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** An AbortController that also aborts when one of its parents does. Dispose of it to let go of the parents. */
export interface LinkedController extends Disposable {
  readonly signal: AbortSignal
  abort(reason?: unknown): void
}

export function linkedController(...parents: readonly (AbortSignal | undefined)[]): LinkedController {
  const controller = new AbortController()
  const followed = parents.filter((parent) => parent !== undefined)
  const unlink = () => {
    for (const parent of followed) parent.removeEventListener('abort', follow)
  }
  const abort = (reason?: unknown) => {
    unlink()
    controller.abort(reason)
  }
  const follow = ({ target }: Event) => abort((target as AbortSignal).reason)
  const gone = followed.find((parent) => parent.aborted)
  if (gone) controller.abort(gone.reason)
  else for (const parent of followed) parent.addEventListener('abort', follow, { once: true })
  return { signal: controller.signal, abort, [Symbol.dispose]: unlink }
}
