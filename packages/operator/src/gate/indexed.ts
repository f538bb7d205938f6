import type { Clock, Logger } from '@binnacle/core'
import type { AwaitedList, GateProgress } from '../report/health.ts'

/** One list and watch, as the gate knows it. */
export interface GatedStream {
  readonly resource: string
  /** `'*'` for the whole cluster. */
  readonly namespace: string
  /** Some index reads it. */
  readonly indexed: boolean
  /** Objects that have come so far, of so many. */
  readonly received: () => { readonly objects: number; readonly of?: number }
}

/** Streams that began together. */
interface Batch {
  readonly own: ReadonlySet<string>
  readonly pending: Set<string>
  readonly opened: Promise<void>
  readonly open: () => void
}

/** Seconds between two lines about a gate that does not open. */
const PATIENCE = 5

/**
 * Lets objects through when the indices are filled. Indexing is one step with the cache, so listed means indexed.
 * Guarantees: no object passes before every indexed kind that was there at the start is listed. Kinds and namespaces that appear later keep
 * back their own objects only, until whatever indexed list began before or with them is complete; one that the server refuses keeps back
 * those that came with it, and nobody else. Once open for an object, it stays open for it.
 */
export class IndexedGate {
  readonly #streams = new Map<string, GatedStream>()
  readonly #listed = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #batches = new Map<string, Batch>()
  #first: Batch | undefined
  #changed: () => void = () => {}

  get progress(): GateProgress {
    const indexed = [...this.#streams].filter(([, { indexed }]) => indexed)
    const missing = indexed.filter(([key]) => !this.#listed.has(key))
    return {
      open: this.#first !== undefined && this.#first.pending.size === 0,
      listed: indexed.length - missing.length,
      of: indexed.length,
      awaited: missing.map(([, { resource, namespace, received }]) => ({
        resource,
        ...(namespace !== '*' && { namespace }),
        ...received(),
      })),
    }
  }

  /** Streams that begin now, together. The first ones are those of the start. */
  admit(streams: readonly GatedStream[]): void {
    if (this.#first && streams.length === 0) return
    const keys = streams.map(keyOf)
    const batch = newBatch(keys, [...streams.filter(({ indexed }) => indexed).map(keyOf), ...this.#awaitedByAll()])
    for (const [i, stream] of streams.entries()) {
      const key = keys[i] ?? ''
      this.#streams.set(key, stream)
      this.#listed.delete(key)
      this.#refused.delete(key)
      this.#batches.set(key, batch)
    }
    this.#first ??= batch
    this.#changed()
  }

  listed(resource: string, namespace: string): void {
    const key = keyOf({ resource, namespace })
    if (!this.#streams.has(key)) return
    this.#listed.add(key)
    this.#refused.delete(key)
    this.#release(key, () => true)
  }

  /** The server will not list it, for now. */
  refused(resource: string, namespace: string): void {
    const key = keyOf({ resource, namespace })
    this.#refused.add(key)
    this.#release(key, (batch) => batch !== this.#first && !batch.own.has(key))
  }

  /** It is watched no more. */
  dropped(resource: string, namespace: string): void {
    const key = keyOf({ resource, namespace })
    this.#release(key, () => true)
    for (const known of [this.#streams, this.#listed, this.#refused, this.#batches]) known.delete(key)
  }

  /**
   * Undefined if an object of the kind, in the namespace, may be handled; else what resolves when it may. It is one and the same for all that
   * wait for the same, so that they need not keep a place while they wait.
   */
  closedTo(resource: string, namespace: string | undefined): Promise<void> | undefined {
    const narrow = this.#batches.get(keyOf({ resource, namespace: namespace ?? '*' }))
    const batch = narrow ?? this.#batches.get(keyOf({ resource, namespace: '*' }))
    return batch && batch.pending.size > 0 ? batch.opened : undefined
  }

  /** Says what is awaited, every few seconds, for as long as something is. */
  async report(clock: Clock, logger: Logger, signal: AbortSignal): Promise<void> {
    const end = () => this.#changed()
    signal.addEventListener('abort', end, { once: true })
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => {
        this.#changed = resolve
      })
      if (this.#pending.size === 0) await changed
      else if ((await slept(clock, changed)) && this.#pending.size > 0) logger.warn(this.#line())
    }
    signal.removeEventListener('abort', end)
  }

  #line(): string {
    const { open, listed, of, awaited } = this.progress
    const who = open ? 'Handlers of what has appeared since the start wait' : 'Handlers wait'
    return `${who} for the indices: ${listed} of ${of} lists are complete, awaited: ${awaited.map(inWords).join(', ')}.`
  }

  get #pending(): ReadonlySet<string> {
    return new Set([...new Set(this.#batches.values())].flatMap(({ pending }) => [...pending]))
  }

  /** What also those have to wait for who come now. */
  #awaitedByAll(): readonly string[] {
    return [...this.#pending].filter((key) => this.#first?.pending.has(key) || !this.#refused.has(key))
  }

  #release(key: string, from: (batch: Batch) => boolean): void {
    for (const batch of new Set(this.#batches.values())) {
      if (from(batch) && batch.pending.delete(key) && batch.pending.size === 0) batch.open()
    }
    if (this.#pending.size === 0) this.#changed()
  }
}

function newBatch(own: readonly string[], pending: readonly string[]): Batch {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { own: new Set(own), pending: new Set(pending), opened, open }
}

function keyOf({ resource, namespace }: { readonly resource: string; readonly namespace: string }): string {
  return `${resource} ${namespace}`
}

/** True if nothing changed meanwhile. */
async function slept(clock: Clock, changed: Promise<void>): Promise<boolean> {
  const end = new AbortController()
  const whole = clock.sleep(PATIENCE, end.signal).then(
    () => true,
    () => false,
  )
  const result = await Promise.race([whole, changed.then(() => false)])
  end.abort()
  return result
}

function inWords({ resource, namespace, objects, of }: AwaitedList): string {
  const where = namespace === undefined ? resource : `${resource} in ${namespace}`
  return of === undefined ? `${where} (${objects} objects so far)` : `${where} (${objects} of ${of} objects)`
}
