/**
 * Who is told of the changes of one kind.
 * Guarantees: every watcher is told of every change that it can see, in the order of versions, within the commit itself.
 */
import { StatusError } from '../http/status.ts'
import type { Change, Filter } from './change.ts'
import type { View } from './record.ts'

export interface Watcher {
  /** Empty: all namespaces. */
  readonly namespace: string
  readonly filter: Filter
  readonly view: View
  /** Events up to this version are known already. */
  readonly after: number
  send(line: Uint8Array): void
  /** The kind is going or changing: no event will follow. */
  end(): void
}

export class FanOut {
  readonly #byNamespace = new Map<string, Set<Watcher>>()

  add(watcher: Watcher): () => void {
    const bucket = this.#byNamespace.get(watcher.namespace) ?? new Set()
    this.#byNamespace.set(watcher.namespace, bucket)
    bucket.add(watcher)
    return () => {
      bucket.delete(watcher)
      if (bucket.size === 0 && this.#byNamespace.get(watcher.namespace) === bucket) {
        this.#byNamespace.delete(watcher.namespace)
      }
    }
  }

  tell(change: Change): void {
    if (this.#byNamespace.size === 0) return
    this.#tellAll(this.#byNamespace.get(''), change)
    if (change.record.namespace !== '') this.#tellAll(this.#byNamespace.get(change.record.namespace), change)
    change.forgetLines()
  }

  #tellAll(watchers: Set<Watcher> | undefined, change: Change): void {
    if (watchers === undefined) return
    for (const watcher of watchers) tell(watcher, change)
  }

  endAll(): void {
    const all = [...this.#byNamespace.values()].flatMap((bucket) => [...bucket])
    for (const watcher of all) watcher.end()
  }
}

export function tell(watcher: Watcher, change: Change): void {
  if (change.revision <= watcher.after) return
  const sight = change.seenThrough(watcher.filter)
  if (!sight) return
  try {
    watcher.send(change.line(sight, watcher.view))
  } catch (error) {
    // The object cannot be shown in the watcher's version. He learns why when he comes again; the commit must not suffer.
    if (!(error instanceof StatusError)) throw error
    watcher.end()
  }
}
