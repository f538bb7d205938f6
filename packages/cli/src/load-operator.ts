import { linkedController } from '@binnacle/core'
import type { Bundle } from './bundle.ts'
import { type Host, offerHost } from './host.ts'
import type { Io } from './io.ts'
import { noOperator, threwOnImport } from './operator-file-errors.ts'
import {
  isDeclaredResource,
  isOperator,
  type OperatorLike,
  type ResourceShape,
  type RunningLike,
  type RunOptionsLike,
} from './shapes.ts'

export interface Launch {
  readonly io: Io
  /** The name under which the bundled code looks for its host. */
  readonly hostKey: string
  /** The files as they were named, in the order of the bundle's entries. */
  readonly files: readonly string[]
  /** What the command line says; it wins over what a file says. */
  readonly options: RunOptionsLike
  /** Done before each start of an operator, with the resources that have been declared so far. */
  prepare(resources: readonly ResourceShape[]): Promise<void>
}

/**
 * One load of the user's files, and everything that it started: the operators that they export, or those that they run themselves.
 * Guarantees: each operator is started once, whether the file runs it or leaves that to us; after `stop` none of them runs.
 * Does not guarantee: that the code of the files is unloaded; Node cannot do that.
 */
export class OperatorRun implements Host, AsyncDisposable {
  readonly #launch: Launch
  readonly #controller = new AbortController()
  /** What a file holds → the operator with its own ways to start. */
  readonly #own = new Map<OperatorLike, OperatorLike>()
  readonly #resources = new Set<ResourceShape>()
  /** Every operator that was started or is about to be. */
  readonly #begun = new Set<OperatorLike>()
  readonly #starts = new Set<Promise<RunningLike>>()
  #hasFailed = false
  readonly #offer: Disposable
  #becomeReady = (): void => {}
  #fail = (_: unknown): void => {}
  /** Resolves when the operators have started. Never rejects; see `ended`. */
  readonly ready: Promise<void>
  /** Settles when all operators have ended and the files are through: resolves if they were stopped, rejects if something failed. */
  readonly ended: Promise<void>

  constructor(bundle: Bundle, launch: Launch) {
    this.#launch = launch
    this.ready = new Promise((resolve) => {
      this.#becomeReady = resolve
    })
    const failed = new Promise<never>((_, reject) => {
      this.#fail = reject
    })
    this.#offer = offerHost(launch.hostKey, this)
    const files = bundle.entries.map((entry, i) => this.#follow(entry, launch.files[i] ?? entry))
    this.ended = Promise.race([failed, Promise.all(files).then(() => {})])
    // Whoever cares awaits it; a failure that nobody waits for yet must not end the process.
    this.ended.catch(() => {})
  }

  get operators(): readonly OperatorLike[] {
    return [...this.#begun]
  }

  /** Stops what was started, and waits for it. The files themselves may still be busy with something of their own. */
  async stop(): Promise<void> {
    this.#controller.abort()
    this.#offer[Symbol.dispose]()
    const started = await Promise.allSettled(this.#starts)
    const stops = await Promise.allSettled(started.map((start) => start.status === 'fulfilled' && start.value.stop()))
    // What failed before is told already; a stop that fails after it is no news.
    const failed = stops.find((end) => end.status === 'rejected')
    if (failed && !this.#hasFailed) throw failed.reason
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  declared(operator: OperatorLike, own: OperatorLike): void {
    this.#own.set(operator, own)
  }

  resource(resource: ResourceShape): void {
    this.#resources.add(resource)
  }

  start(own: OperatorLike, options?: RunOptionsLike): Promise<RunningLike> {
    this.#begun.add(own)
    const start = this.#begin(own, options)
    // A file that does not await it must not end the process; `ended` tells of the failure.
    start.catch((error) => this.#failed(error))
    this.#starts.add(start)
    return start
  }

  run(own: OperatorLike, options?: RunOptionsLike): Promise<void> {
    const run = this.start(own, options).then((running) => {
      this.#becomeReady()
      return running.ended
    })
    run.catch(() => {})
    return run
  }

  async #begin(own: OperatorLike, options: RunOptionsLike | undefined): Promise<RunningLike> {
    await this.#launch.prepare([...this.#resources])
    this.#controller.signal.throwIfAborted()
    const controller = linkedController(this.#controller.signal, options?.signal)
    try {
      const running = await own.start({ ...merged(options ?? {}, this.#launch.options), signal: controller.signal })
      running.ended.catch((error) => this.#failed(error)).finally(() => controller[Symbol.dispose]())
      return running
    } catch (error) {
      controller[Symbol.dispose]()
      throw error
    }
  }

  /** Told at once, and so before the same error comes out of the `await` in a file and looks like the file's own. */
  #failed(error: unknown): void {
    this.#hasFailed = true
    if (!this.#controller.signal.aborted) this.#fail(error)
  }

  /** From the import of a file to the end of everything in it. */
  async #follow(entry: string, file: string): Promise<void> {
    const exports = await this.#import(entry, file)
    if (this.#controller.signal.aborted) return
    for (const resource of exports.filter(isDeclaredResource)) this.#resources.add(resource)
    const operators = exports.filter(isOperator).map((operator) => this.#own.get(operator) ?? operator)
    if (operators.length === 0 && this.#begun.size === 0) throw noOperator(file, [...this.#own.keys()])
    const waiting = new Set(operators.filter((operator) => !this.#begun.has(operator)))
    await Promise.all([...waiting].map((operator) => this.start(operator)))
    this.#becomeReady()
    await Promise.all([...this.#starts].map(async (start) => (await start).ended))
  }

  async #import(entry: string, file: string): Promise<readonly unknown[]> {
    try {
      return Object.values(await this.#launch.io.import(entry))
    } catch (error) {
      throw threwOnImport(file, error, this.#launch.io.cwd)
    }
  }
}

/** A server that the command line names takes the place of whatever the file names. */
function merged(file: RunOptionsLike, line: RunOptionsLike): RunOptionsLike {
  const { kubeconfig, context, client, ...rest } = file
  const named = line.kubeconfig !== undefined || line.context !== undefined
  const logger = mergedLogger(file.logger, line.logger)
  return {
    ...rest,
    ...(!named && { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) }),
    ...(!named && client !== undefined && { client }),
    ...line,
    ...(logger && { logger }),
  }
}

/** A logger of the file's own stays; flags change only the options of ours. */
function mergedLogger(file: object | undefined, line: object | undefined): object | undefined {
  if (file && 'info' in file) return file
  return file || line ? { ...file, ...line } : undefined
}
