/**
 * A value that is there, or will be. Writes wait only where a webhook is asked: without one, a request is a single step, and nothing
 * can come between its reading and its writing.
 */
export type Pending<T> = T | Promise<T>

/** Goes on with the value: at once when it is there. */
export function after<T, R>(value: Pending<T>, next: (value: T) => Pending<R>): Pending<R> {
  return value instanceof Promise ? value.then(next) : next(value)
}
