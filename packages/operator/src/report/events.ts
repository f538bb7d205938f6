import type { Client } from '@binnacle/client'
import {
  aborted,
  type KubeObject,
  type LogLevel,
  messageOf,
  NetworkError,
  NotFoundError,
  type Runtime,
} from '@binnacle/core'
import { type Correlated, Correlator } from './correlator.ts'
import type { Remark } from './recorder.ts'

export interface EventPosterOptions {
  readonly runtime: Runtime
  readonly client: Client
  readonly enabled: boolean
  /** The least that is posted of what has a level. @default 'info' */
  readonly level?: LogLevel
  /** What names begin with. @default the name of the object and a dot */
  readonly namePrefix?: string | undefined
  readonly reportingComponent: string
  readonly reportingInstance: string
}

/** Remarks that may wait to be posted; those beyond are dropped. */
const LONGEST_QUEUE = 1000
const TRIES = 12
const RANK: { readonly [level in LogLevel]: number } = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 }
/** Seconds between two tries. */
const PAUSE = 10

/**
 * Posts what was said about objects as Kubernetes events, one after another.
 * Guarantees: nobody waits for it, and no failure of it reaches anybody; equal remarks are counted on one event; memory is bounded.
 * Does not guarantee: that an event is posted: they are dropped in floods, after a dozen tries, and at the exit.
 */
export class EventPoster {
  readonly #options: EventPosterOptions
  readonly #correlator = new Correlator()
  readonly #queue: Remark[] = []
  #posting = false
  #wake: () => void = () => {}
  #rest: (() => void)[] = []
  #serial = 0
  #refused = false

  constructor(options: EventPosterOptions) {
    this.#options = options
  }

  /** Whether anything is under way. */
  get busy(): boolean {
    return this.#posting || this.#queue.length > 0
  }

  /** Never about events: one about an event would be about the next. */
  post(remark: Remark): void {
    const { enabled, level = 'info' } = this.#options
    if (!enabled || remark.object.kind === 'Event' || this.#queue.length >= LONGEST_QUEUE) return
    if (remark.level !== undefined && RANK[remark.level] < RANK[level]) return
    this.#queue.push(remark)
    this.#wake()
  }

  /** Resolves when nothing is left to post. */
  async settled(): Promise<void> {
    if (this.busy) await new Promise<void>((resolve) => this.#rest.push(resolve))
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const remark = this.#queue.shift()
      if (remark) await this.#post(remark, signal)
      else await this.#untilNext(signal)
    }
  }

  async #untilNext(signal: AbortSignal): Promise<void> {
    for (const resolve of this.#rest.splice(0)) resolve()
    const stop = new AbortController()
    const end = () => stop.abort()
    signal.addEventListener('abort', end, { once: true })
    if (signal.aborted) end()
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    if (this.#queue.length === 0) await Promise.race([woken, aborted(stop.signal)])
    signal.removeEventListener('abort', end)
    stop.abort()
  }

  async #post(remark: Remark, signal: AbortSignal): Promise<void> {
    this.#posting = true
    try {
      const decision = this.#correlator.correlate(remark, this.#options.runtime.clock.monotonic())
      if (decision.do !== 'drop') await this.#try(remark, decision, signal)
    } catch (error) {
      if (!signal.aborted) this.#complain(remark, error)
    } finally {
      this.#posting = false
    }
  }

  /** The server has said no, or could not be reached: only the latter is tried again. */
  async #try(remark: Remark, decision: Exclude<Correlated, { do: 'drop' }>, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options.runtime
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#write(remark, decision, signal)
      } catch (error) {
        if (!(error instanceof NetworkError) || attempt >= TRIES) throw error
        // The first wait is spread by chance, so that those who lost the server together do not come back together.
        await clock.sleep(attempt === 1 ? PAUSE * random() : PAUSE, signal)
      }
    }
  }

  async #write(remark: Remark, decision: Exclude<Correlated, { do: 'drop' }>, signal: AbortSignal): Promise<void> {
    if (decision.do === 'create') return this.#create(remark, decision.key, decision.message, signal)
    const { client, runtime } = this.#options
    const { name, count, message } = decision
    try {
      const ref = { namespace: namespaceOf(remark.object), name }
      const change = { count, message, lastTimestamp: runtime.clock.now().toISOString() }
      await client.patch('v1/events', ref, change as never, { signal })
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      this.#correlator.forget(decision.key)
      await this.#create(remark, decision.key, message, signal)
    }
  }

  async #create(remark: Remark, key: string, message: string, signal: AbortSignal): Promise<void> {
    const { client, runtime, reportingComponent, reportingInstance, namePrefix } = this.#options
    const now = runtime.clock.now()
    const name = `${namePrefix ?? `${remark.object.metadata.name}.`}${now.getTime().toString(16)}${(this.#serial++).toString(16)}`
    const event = {
      metadata: { namespace: namespaceOf(remark.object), name },
      involvedObject: referenceTo(remark.object),
      ...(remark.related && { related: referenceTo(remark.related) }),
      type: remark.type,
      reason: remark.reason,
      message,
      ...(remark.action !== undefined && { action: remark.action }),
      count: 1,
      firstTimestamp: now.toISOString(),
      lastTimestamp: now.toISOString(),
      source: { component: reportingComponent },
      reportingComponent,
      reportingInstance,
    }
    await client.create('v1/events', event as never, { signal })
    this.#correlator.remember(key, name)
  }

  #complain({ object, reason }: Remark, error: unknown): void {
    const { logger } = this.#options.runtime
    const line = `The event "${reason}" about ${object.kind} ${object.metadata.name} could not be posted: ${messageOf(error)}`
    // A right that is missing is missing each time: once is enough.
    if (this.#refused) logger.debug(line)
    else logger.warn(line)
    this.#refused = true
  }
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): object {
  const { name, namespace, uid, resourceVersion } = metadata
  return { apiVersion, kind, name, ...(namespace !== undefined && { namespace }), uid, resourceVersion }
}

/** Objects without a namespace have their events where everybody looks. */
function namespaceOf({ metadata }: KubeObject): string {
  return metadata.namespace ?? 'default'
}
