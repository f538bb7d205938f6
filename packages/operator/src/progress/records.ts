import type { KubeObject } from '@binnacle/core'
import { dueIn, isFinished, type Progress, type Purpose, resume } from './progress.ts'
import type { AnnotationChanges, ProgressStorage } from './store.ts'

/**
 * The progress of all handlers of one object for one cause: loaded from the object, moved on in memory, written back as annotations.
 * Guarantees: what another cause has left is superseded; nothing is written for a handler that was not touched.
 */
export class ProgressRecords {
  readonly #records = new Map<string, Progress>()

  constructor(
    ids: readonly string[],
    stored: (id: string) => Progress | undefined,
    purposeOf: (id: string) => Purpose,
    now: Date,
  ) {
    for (const id of ids) this.#records.set(id, resume(stored(id), purposeOf(id), now))
  }

  get(id: string): Progress {
    const record = this.#records.get(id)
    if (!record) throw new RangeError(`handler "${id}" was not selected`)
    return record
  }

  set(id: string, record: Progress): void {
    this.#records.set(id, record)
  }

  isFinished(id: string): boolean {
    return isFinished(this.get(id))
  }

  get allFinished(): boolean {
    return [...this.#records.values()].every(isFinished)
  }

  /** Seconds until the next unfinished handler is due; undefined when all are finished. */
  nextDue(now: Date): number | undefined {
    const delays = [...this.#records.values()]
      .filter((record) => !isFinished(record))
      .map((record) => dueIn(record, now))
    return delays.length === 0 ? undefined : Math.min(...delays)
  }

  /** Writes what has been begun, and takes away what other handlers of the kind have left behind. */
  store(storage: ProgressStorage, body: KubeObject, others: readonly string[], changes: AnnotationChanges): void {
    for (const id of others) if (!this.#records.has(id)) storage.purge(id, body, changes)
    for (const [id, record] of this.#records) if (record.retries > 0) storage.store(id, record, body, changes)
  }

  entries(): Iterable<readonly [string, Progress]> {
    return this.#records
  }
}
