import type { KubeObject } from '@binnacle/core'
import { dueIn, isFinished, type Progress, type Purpose, resume } from './progress.ts'
import type { ProgressStorage, StoragePatch } from './storage.ts'

type Stored = (id: string) => Progress | undefined

/**
 * The progress of all handlers of one object for one cause, and of the steps within them: loaded from the object, moved on in memory,
 * written back to it.
 * Guarantees: what another cause has left is superseded, its steps included; nothing is written for a handler that was not touched.
 */
export class ProgressRecords {
  readonly #stored: Stored
  readonly #purposeOf: (id: string) => Purpose
  readonly #now: Date
  readonly #handlers = new Map<string, Progress>()
  readonly #steps = new Map<string, Progress>()
  /** Handlers and steps that have been moved on in this cycle. */
  readonly #touched = new Set<string>()

  constructor(ids: readonly string[], stored: Stored, purposeOf: (id: string) => Purpose, now: Date) {
    this.#stored = stored
    this.#purposeOf = purposeOf
    this.#now = now
    for (const id of ids) this.#handlers.set(id, resume(stored(id), purposeOf(id), now))
  }

  get(id: string): Progress {
    const record = this.#handlers.get(id)
    if (!record) throw new RangeError(`handler "${id}" was not selected`)
    return record
  }

  /** The record after an attempt; it goes on listing the steps of the handler. */
  set(id: string, record: Progress): void {
    const subrefs = [...this.#stepsOf(id)].sort()
    this.#handlers.set(id, subrefs.length > 0 ? { ...record, subrefs } : record)
    this.#touched.add(id)
  }

  /** The record of a step within the handler `root`. */
  step(id: string, root: string): Progress {
    const record = this.#steps.get(id) ?? resume(this.#stored(id), this.#purposeOf(root), this.#now)
    this.#steps.set(id, record)
    return record
  }

  setStep(id: string, record: Progress): void {
    this.#steps.set(id, record)
    this.#touched.add(id)
  }

  isFinished(id: string): boolean {
    return isFinished(this.get(id))
  }

  /** Whether all handlers are; steps are a matter of their handlers. */
  get allFinished(): boolean {
    return [...this.#handlers.values()].every(isFinished)
  }

  /** Handlers that were tried in this cycle. */
  get attempted(): readonly string[] {
    return [...this.#handlers.keys()].filter((id) => this.#touched.has(id))
  }

  /** Whether a handler, or a step, has come to its end in this cycle. */
  get advanced(): boolean {
    return [...this.entries()].some(([id, record]) => this.#touched.has(id) && isFinished(record))
  }

  /** Of handlers. */
  get size(): number {
    return this.#handlers.size
  }

  /** Handlers that have failed for good. */
  get failures(): readonly { readonly id: string; readonly message: string }[] {
    const failed = [...this.#handlers].filter(([, record]) => record.failure)
    return failed.map(([id, { message = 'failed for good' }]) => ({ id, message }))
  }

  /** Seconds until the next unfinished handler is due; undefined when all are finished. */
  nextDue(now: Date): number | undefined {
    const delays = [...this.#handlers.values()]
      .filter((record) => !isFinished(record))
      .map((record) => dueIn(record, now))
    return delays.length === 0 ? undefined : Math.min(...delays)
  }

  /** Writes what has been begun, and takes away what other handlers of the kind, and superseded steps, have left behind. */
  store(storage: ProgressStorage, body: KubeObject, others: readonly string[], patch: StoragePatch): void {
    const kept = new Set([...this.#handlers.keys()].flatMap((id) => [id, ...this.#stepsOf(id)]))
    for (const id of this.#known(others)) if (!kept.has(id)) storage.purge(id, body, patch)
    for (const [id, record] of this.entries()) {
      if (record.retries > 0 || this.#touched.has(id)) storage.store(id, record, body, patch)
    }
  }

  /** Takes away all that is stored of any handler of the kind: the cause is done. */
  purge(storage: ProgressStorage, body: KubeObject, others: readonly string[], patch: StoragePatch): void {
    for (const id of this.#known(others)) storage.purge(id, body, patch)
  }

  *entries(): Iterable<readonly [string, Progress]> {
    yield* this.#handlers
    yield* this.#steps
  }

  /** Ids that may have something stored on the object. */
  #known(others: readonly string[]): Set<string> {
    const handlers = [...new Set([...others, ...this.#handlers.keys()])]
    return new Set([...handlers, ...handlers.flatMap((id) => this.#stored(id)?.subrefs ?? []), ...this.#steps.keys()])
  }

  /** Steps of the handler that belong to its present record: those of a superseded one are not among them. */
  #stepsOf(id: string): Set<string> {
    const declared = [...this.#steps.keys()].filter((step) => step.startsWith(`${id}/`))
    return new Set([...(this.#handlers.get(id)?.subrefs ?? []), ...declared])
  }
}
