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
  return new Link(parents.filter((parent) => parent !== undefined))
}

class Link implements LinkedController {
  readonly #controller = new AbortController()
  readonly #parents: readonly AbortSignal[]

  constructor(parents: readonly AbortSignal[]) {
    const gone = parents.find((parent) => parent.aborted)
    this.#parents = gone ? [] : parents
    if (gone) this.#controller.abort(gone.reason)
    else for (const parent of parents) Family.of(parent).add(this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason?: unknown): void {
    this[Symbol.dispose]()
    this.#controller.abort(reason)
  }

  [Symbol.dispose](): void {
    for (const parent of this.#parents) Family.of(parent).delete(this)
  }
}

/**
 * The controllers that are linked to one signal, behind one listener: Node looks through all listeners of a signal whenever one is added, and takes more than
 * ten for a leak.
 */
class Family {
  static readonly #all = new WeakMap<AbortSignal, Family>()
  readonly #parent: AbortSignal
  readonly #children = new Set<LinkedController>()
  readonly #abort = (): void => {
    for (const child of this.#children) child.abort(this.#parent.reason)
  }

  constructor(parent: AbortSignal) {
    this.#parent = parent
  }

  static of(parent: AbortSignal): Family {
    const family = Family.#all.get(parent) ?? new Family(parent)
    Family.#all.set(parent, family)
    return family
  }

  add(child: LinkedController): void {
    if (this.#children.size === 0) this.#parent.addEventListener('abort', this.#abort, { once: true })
    this.#children.add(child)
  }

  delete(child: LinkedController): void {
    if (this.#children.delete(child) && this.#children.size === 0) {
      this.#parent.removeEventListener('abort', this.#abort)
    }
  }
}
