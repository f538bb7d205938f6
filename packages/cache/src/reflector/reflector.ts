import {
  type BackoffPolicy,
  exponential,
  type KubeObject,
  type LinkedController,
  linkedController,
  messageOf,
  type ResourceVersion,
  type Runtime,
  runtimeOf,
  seconds,
  type WatchEvent,
  type WatchOptions,
} from '@binnacle/core'
import type { ListerWatcher } from '../lister-watcher.ts'
import type { ReflectorStore } from '../queue/queue.ts'
import { type Failure, failureOf, isInternal } from './failure.ts'
import { InitialEvents, type Listed, PagedLister, streamedList } from './initial-list.ts'
import { alreadyRunning, fateOf, figures, patienceOf, spanOf, streamError, whatIsWrong } from './judgement.ts'
import type { ReflectorOptions, ReflectorState } from './reflector-options.ts'
import { everyPeriod, slept } from './resync-timer.ts'
import { RetryWindow } from './retry-window.ts'
import {
  type Decision,
  type Input,
  initialState,
  type ListState,
  type Span,
  type State,
  step,
  type Wait,
} from './step.ts'
import { defaultWatchErrorHandler, VeryShortWatchError } from './watch-error.ts'

/**
 * Keeps a store equal to what the server has: lists, watches, and lists again when the watch cannot go on.
 * Guarantees: the store is told of everything in the order in which the server tells it, and of the whole content whenever that order was
 * broken; no busy loop, whatever the server does; once `run` has ended, no timer, stream or listener is left.
 * Does not guarantee: that every version of an object is seen.
 * Assumes: a watch ends soon after its signal aborts.
 */
export interface Reflector<T> {
  readonly name: string
  readonly typeDescription: string
  /** Runs until the signal aborts. Rejects only if there is no use in going on: no credentials are left. */
  run(signal: AbortSignal): Promise<void>
  /** One list and the watch that follows; ends when there has to be another list. */
  listAndWatch(signal: AbortSignal): Promise<void>
  /** The newest version that was seen; empty before the first list. */
  readonly lastSyncResourceVersion: ResourceVersion
  readonly state: ReflectorState
  /** What went wrong last; undefined as soon as a list or an event has come since. */
  readonly lastError: unknown
  /** Seconds since the server last said anything: a list, an event or a bookmark. Since the start if it never did. */
  readonly staleness: number
  readonly '~object'?: T
}

const LONGEST_SILENCES = 12

class ListWatchReflector<T extends KubeObject> implements Reflector<T> {
  readonly name: string
  readonly typeDescription: string
  readonly #listerWatcher: ListerWatcher<T>
  readonly #store: ReflectorStore<T>
  readonly #options: ReflectorOptions
  readonly #runtime: Runtime
  readonly #pages: PagedLister<T>
  readonly #backoff: BackoffPolicy
  readonly #internalErrors: RetryWindow
  readonly #figures: ReturnType<typeof figures>
  #next: State
  #state: ReflectorState = 'idle'
  #lastError: unknown
  #version: ResourceVersion = ''
  #heardAt: number
  /** The stream that is open now, so that a failed resync can end it. */
  #stream: { readonly link: LinkedController; resyncFailed: boolean } | undefined

  constructor(listerWatcher: ListerWatcher<T>, store: ReflectorStore<T>, options: ReflectorOptions = {}) {
    const { initial = '800ms', factor = 2, max = '30s', jitter = 1 } = options.backoff ?? {}
    this.#listerWatcher = listerWatcher
    this.#store = store
    this.#options = options
    this.#runtime = runtimeOf(options)
    this.#pages = new PagedLister(listerWatcher, options.pageSize)
    // client-go spreads upwards from its cap: with a jitter of 1 the longest waits lie between once and twice that.
    this.#backoff = exponential({ initial, factor, max: seconds(max) * (1 + jitter), jitter })
    this.#internalErrors = new RetryWindow(seconds(options.internalErrorRetry ?? 0), this.#runtime.clock)
    this.#figures = figures(this.#runtime)
    this.#next = initialState(options.initialList !== 'pages' && listerWatcher.watchList !== false)
    this.#heardAt = this.#runtime.clock.monotonic()
    this.name = options.name ?? 'reflector'
    this.typeDescription = options.expectedType
      ? `${options.expectedType.apiVersion}, Kind=${options.expectedType.kind}`
      : '<unspecified>'
  }

  get state(): ReflectorState {
    return this.#state
  }

  get lastError(): unknown {
    return this.#lastError
  }

  get lastSyncResourceVersion(): ResourceVersion {
    return this.#version
  }

  get staleness(): number {
    return this.#runtime.clock.monotonic() - this.#heardAt
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#besideResync(signal, async () => {
      while (!signal.aborted) await this.#advance(signal)
    })
  }

  listAndWatch(signal: AbortSignal): Promise<void> {
    return this.#besideResync(signal, async () => {
      do await this.#advance(signal)
      while (!signal.aborted && (this.#next.at === 'watch' || this.#version === ''))
    })
  }

  async #besideResync(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    if (this.#state !== 'idle' && this.#state !== 'stopped') throw alreadyRunning(this.name)
    const end = linkedController(signal)
    const period = seconds(this.#options.resync ?? 0)
    const resyncs = everyPeriod(this.#runtime.clock, period, () => this.#resync(), end.signal)
    try {
      await work()
    } finally {
      end.abort()
      this.#state = 'stopped'
      await resyncs
    }
  }

  /** One turn: act, decide, wait. */
  async #advance(signal: AbortSignal): Promise<void> {
    const input = await this.#act(signal)
    if (signal.aborted) return
    const decision = this.#decide(input)
    const failure = this.#failureIn(input)
    if (failure) this.#report(failure)
    if (failure?.kind === 'fatal') throw failure.error
    if (decision.wait) await this.#wait(decision.wait, failure, signal)
  }

  #decide(input: Input): Decision {
    const calm = seconds(this.#options.backoff?.reset ?? '2m')
    const decision = step(this.#next, input, this.#runtime.clock.monotonic(), calm)
    this.#next = decision.state
    return decision
  }

  #act(signal: AbortSignal): Promise<Input> {
    const state = this.#next
    this.#state = state.at === 'list' ? 'listing' : 'watching'
    if (state.at === 'watch') return this.#watch({ resourceVersion: state.from, bookmarks: true }, undefined, signal)
    return state.by === 'pages'
      ? this.#list(state, signal)
      : this.#watch(streamedList(state), new InitialEvents(), signal)
  }

  async #list(state: ListState, signal: AbortSignal): Promise<Input> {
    this.#figures.lists.add(1, { name: this.name })
    const begun = this.#runtime.clock.monotonic()
    try {
      const { objects, version } = await this.#pages.list(state, signal)
      this.#figures.listDuration.observe(this.#runtime.clock.monotonic() - begun, { name: this.name })
      if (signal.aborted) return { got: 'list', version }
      return this.#listed({ objects: objects.filter((object) => this.#accepts(object)), version })
    } catch (error) {
      return { got: 'failure', failure: failureOf(error), lived: 'not', lasted: 0 }
    }
  }

  #watchFailure(error: unknown): Failure {
    const failure = failureOf(error)
    return isInternal(failure) && this.#internalErrors.allows() ? { ...failure, kind: 'passing' } : failure
  }

  #listed({ objects, version }: Listed<T>): Input {
    this.#store.replace(objects, version)
    this.#figures.listItems.observe(objects.length, { name: this.name })
    this.#heard(version)
    return { got: 'list', version }
  }

  /** Opens a stream and hands on what comes, first to `initial` if the stream begins with a list. */
  async #watch(asked: WatchOptions, initial: InitialEvents<T> | undefined, signal: AbortSignal): Promise<Input> {
    this.#figures.watches.add(1, { name: this.name })
    const { clock } = this.#runtime
    const stream = { link: linkedController(signal), resyncFailed: false }
    const openedAt = clock.monotonic()
    const progress = { events: 0, lastAt: openedAt, list: initial, silent: false }
    const guard = initial ? this.#guardSilence(progress, openedAt, stream.link) : undefined
    const lasted = () => clock.monotonic() - openedAt
    this.#stream = stream
    try {
      const patience = patienceOf(this.#options, this.#runtime.random)
      for await (const event of this.#listerWatcher.watch({ ...asked, ...patience, signal: stream.link.signal })) {
        if (stream.link.signal.aborted) break
        progress.events++
        progress.lastAt = clock.monotonic()
        if (this.#received(event, progress.list)) {
          progress.list = undefined
          this.#figures.listDuration.observe(progress.lastAt - openedAt, { name: this.name })
          guard?.end()
        }
      }
      return this.#ended(stream, progress.silent, spanOf(lasted(), progress.events))
    } catch (error) {
      if (stream.link.signal.aborted) return this.#ended(stream, progress.silent, 'a while')
      const failure = this.#watchFailure(error)
      return { got: 'failure', version: this.#version, failure, ...fateOf(lasted(), progress.events) }
    } finally {
      this.#stream = undefined
      stream.link.abort()
      guard?.end()
      await guard?.ended
    }
  }

  #ended({ resyncFailed }: { readonly resyncFailed: boolean }, silent: boolean, after: Span): Input {
    if (silent) return { got: 'silence' }
    if (resyncFailed) return { got: 'resync-failure', version: this.#version }
    return { got: 'end', version: this.#version, after }
  }

  /** Ends the stream when the list that it should begin with does not come. A server or proxy that does not know such lists never says so. */
  #guardSilence(
    progress: { readonly lastAt: number; silent: boolean },
    openedAt: number,
    link: LinkedController,
  ): { end(): void; readonly ended: Promise<void> } {
    const { clock, logger } = this.#runtime
    const limit = seconds(this.#options.initialListSilence ?? '10s')
    const guard = linkedController(link.signal)
    const watching = async () => {
      // What counts is whether anything came during a sleep. Times are not compared with the limit: after rounding, a little may always be left.
      for (let seen = openedAt; await slept(clock, limit, guard.signal); seen = progress.lastAt) {
        if (progress.lastAt > seen && clock.monotonic() - openedAt < limit * LONGEST_SILENCES) continue
        progress.silent = true
        logger.warn(
          `${this.name}: no end of the streamed list within the time allowed; lists come in pages from now on`,
        )
        return link.abort()
      }
    }
    return { end: () => guard.abort(), ended: watching() }
  }

  /** True if the event completed the list that the stream began with. */
  #received(event: WatchEvent<T>, initial: InitialEvents<T> | undefined): boolean {
    if (event.type === 'ERROR') throw streamError(event.object, this.name)
    if (event.type !== 'BOOKMARK' && !this.#accepts(event.object)) return false
    if (!initial) {
      this.#apply(event)
      return false
    }
    const list = initial.take(event)
    if (!list) return false
    this.#decide(this.#listed(list))
    this.#state = 'watching'
    return true
  }

  #apply(event: Exclude<WatchEvent<T>, { type: 'ERROR' }>): void {
    const version = event.object.metadata.resourceVersion
    try {
      if (event.type === 'ADDED') this.#store.add(event.object)
      else if (event.type === 'MODIFIED') this.#store.update(event.object)
      else if (event.type === 'DELETED') this.#store.delete(event.object)
      else this.#store.bookmark?.(version)
    } catch (error) {
      this.#runtime.logger.error(`${this.name}: the store refused a change: ${messageOf(error)}`, { error })
    }
    this.#heard(version)
  }

  #heard(version: ResourceVersion | undefined): void {
    if (version) {
      this.#version = version
      this.#store.updateResourceVersion?.(version)
    }
    this.#heardAt = this.#runtime.clock.monotonic()
    this.#lastError = undefined
  }

  /** An object that cannot be stored must not keep the others from being stored. */
  #accepts(object: T): boolean {
    const wrong = whatIsWrong(object, this.#options.expectedType)
    if (wrong) this.#runtime.logger.error(`${this.name}: skipped an object that ${wrong}`)
    return wrong === undefined
  }

  #failureIn(input: Input): Failure | undefined {
    if (input.got === 'failure') return input.failure
    const short = input.got === 'end' && input.after === 'nothing'
    return short ? failureOf(new VeryShortWatchError(this.name)) : undefined
  }

  #report({ kind, error }: Failure): void {
    const { logger } = this.#runtime
    this.#lastError = error
    this.#figures.failures.add(1, { name: this.name, kind })
    try {
      const handler = this.#options.onWatchError ?? defaultWatchErrorHandler
      handler(error, { name: this.name, typeDescription: this.typeDescription, logger })
    } catch (failed) {
      logger.error(`${this.name}: the watch error handler failed: ${messageOf(failed)}`, { error: failed })
    }
  }

  async #wait({ attempt, atLeast, atMost }: Wait, failure: Failure | undefined, signal: AbortSignal): Promise<void> {
    this.#state = failure?.kind === 'refused' ? 'failed' : 'waiting'
    const { clock, random } = this.#runtime
    await slept(clock, Math.max(atLeast, Math.min(this.#backoff.delay(attempt, random), atMost)), signal)
  }

  #resync(): void {
    if (this.#version === '') return
    try {
      if (this.#options.shouldResync?.() ?? true) this.#store.resync()
    } catch (error) {
      this.#runtime.logger.error(`${this.name}: the resync failed: ${messageOf(error)}`, { error })
      if (!this.#stream) return
      this.#stream.resyncFailed = true
      this.#stream.link.abort()
    }
  }
}

export const Reflector: {
  new <T extends KubeObject>(
    listerWatcher: ListerWatcher<T>,
    store: ReflectorStore<T>,
    options?: ReflectorOptions,
  ): Reflector<T>
} = ListWatchReflector
