import type { Clock } from '@binnacle/core'
import { type Bundle, type Rebuilt, watchBundle } from './bundle.ts'
import type { Io } from './io.ts'
import { OperatorRun } from './load-operator.ts'
import type { ResourceShape, RunOptionsLike } from './shapes.ts'
import type { Terminal } from './terminal.ts'

export interface ReloaderOptions {
  readonly io: Io
  readonly terminal: Terminal
  /** The absolute path of the file. */
  readonly file: string
  /** The file as it was named, for messages. */
  readonly name: string
  /** Absolute paths of files that are not part of the program and whose change is a reason to reload all the same. */
  readonly alsoWatched: readonly string[]
  /** Where bundles go; whoever made it removes it. */
  readonly directory: string
  readonly options: RunOptionsLike
  /** Done before each start of an operator. */
  prepare(resources: readonly ResourceShape[]): Promise<void>
}

/** A person who pressed Ctrl-C waits two seconds at most for everything; this is the operator's share of it. */
const LAST_GRACE = '1500ms'

/**
 * Runs the operator of a file, and starts it anew after each change.
 * Guarantees: two versions never run at the same time; a version that cannot be loaded leaves the one before it running; one that
 * cannot be started leaves none, and the next change is awaited; after disposal nothing runs or watches, and that takes no longer than
 * `LAST_GRACE` even if a handler hangs.
 */
export class Reloader implements AsyncDisposable {
  readonly #options: ReloaderOptions
  #watch: AsyncDisposable | undefined
  /** The version that runs or is about to. */
  #current: OperatorRun | undefined
  /** A version whose file is being imported. */
  #loading: OperatorRun | undefined
  #closed = false
  /** The newest look at the files that has not been dealt with. */
  #next: Rebuilt | undefined
  /** Deals with one look after the other. */
  #turn: Promise<void> = Promise.resolve()

  static async start(options: ReloaderOptions): Promise<Reloader> {
    const reloader = new Reloader(options)
    const { file, directory, io, alsoWatched } = options
    reloader.#watch = await watchBundle(
      { files: [file], cwd: io.cwd, directory, hostKey: reloader.#hostKey, alsoWatched },
      (rebuilt) => reloader.#receive(rebuilt),
    )
    return reloader
  }

  private constructor(options: ReloaderOptions) {
    this.#options = options
  }

  get #hostKey(): string {
    return `binnacle:${this.#options.directory}`
  }

  #receive(rebuilt: Rebuilt): void {
    this.#next = rebuilt
    this.#turn = this.#turn.then(() => this.#takeNext())
  }

  async #takeNext(): Promise<void> {
    const next = this.#next
    this.#next = undefined
    if (this.#closed || !next) return
    if ('error' in next) this.#refuse(next.error)
    else await this.#load(next.bundle)
  }

  #refuse(error: unknown): void {
    const { terminal } = this.#options
    terminal.problem(error)
    terminal.notice(
      this.#current
        ? 'The version before it keeps running. Waiting for a change.'
        : 'Nothing runs. Waiting for a change.',
    )
  }

  /** Resolves when the new version runs, or when it is clear that it will not. */
  async #load(bundle: Bundle): Promise<void> {
    const before = this.#current
    const fresh = new OperatorRun(bundle, {
      io: this.#options.io,
      hostKey: this.#hostKey,
      files: [this.#options.name],
      options: this.#options.options,
      prepare: async (resources) => {
        // The old version goes when the new one is about to start, not before: its file may still turn out to be broken.
        this.#current = fresh
        await before?.stop()
        await this.#options.prepare(resources)
      },
    })
    this.#loading = fresh
    const failure = await Promise.race([fresh.ready, fresh.ended]).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    if (failure) return this.#discard(fresh, failure.error)
    this.#tell(fresh, before !== undefined)
    fresh.ended.then(
      () => this.#ended(fresh),
      (error: unknown) => this.#ended(fresh, error),
    )
  }

  async #discard(fresh: OperatorRun, error: unknown): Promise<void> {
    if (this.#current === fresh) this.#current = undefined
    await fresh.stop()
    if (!this.#closed) this.#refuse(error)
  }

  #tell(fresh: OperatorRun, again: boolean): void {
    const { terminal, name } = this.#options
    const operators = fresh.operators.map(
      (operator) => `${operator.name} (${count(operator.describe().handlers.length)})`,
    )
    terminal.notice(`${again ? 'Reloaded' : 'Running'} ${operators.join(', ')} from ${name}; reloads when it changes.`)
  }

  async #ended(run: OperatorRun, error?: unknown): Promise<void> {
    if (this.#closed || this.#current !== run) return
    this.#current = undefined
    await run.stop()
    if (error !== undefined) return this.#refuse(error)
    this.#options.terminal.notice('The operator has ended by itself. Waiting for a change.')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    const { io, terminal } = this.#options
    if (await within(io.clock, this.#stopAll())) return
    terminal.warning('A handler did not end in time and was left behind.')
  }

  /** Does not wait for an import that hangs in the user's own code: nothing of ours is started after a stop. */
  async #stopAll(): Promise<void> {
    await Promise.all([this.#current?.stop(), this.#loading?.stop(), this.#watch?.[Symbol.asyncDispose]()])
  }
}

/** Whether the promise settled in time. */
async function within(clock: Clock, promise: Promise<void>): Promise<boolean> {
  const timer = new AbortController()
  const late = clock.sleep(LAST_GRACE, timer.signal).then(
    () => false,
    () => true,
  )
  const done = promise.then(() => true)
  try {
    return await Promise.race([done, late])
  } finally {
    timer.abort()
  }
}

function count(handlers: number): string {
  return handlers === 1 ? '1 handler' : `${handlers} handlers`
}
