import { BinnacleError, type Gauge, linkedController, type Runtime } from '@binnacle/core'
import type { Result } from '../declare/options.ts'
import type { AlarmClock } from '../spawn/alarm-clock.ts'
import { StopControl } from '../spawn/stop-control.ts'
import { unpackError } from './error-parcel.ts'
import type { Job, Threads } from './job.ts'
import { type Abilities, moduleFile } from './module-file.ts'
import { ThreadCall } from './thread-call.ts'
import { OwnThread, type ThreadHandle } from './thread-handle.ts'

/** The figures of all worker threads. */
export interface WorkerFigures {
  /** The most that there may be. */
  readonly limit: number
  readonly busy: number
  readonly idle: number
  /** Calls that wait for a thread. */
  readonly waiting: number
}

export interface WorkerThreadsDeps {
  readonly runtime: Runtime
  readonly alarms: AlarmClock
  /** Aborted when the operator stops. */
  readonly stopping: AbortSignal
  readonly limit: number
  /** What this Node can run. */
  readonly abilities: Abilities
  /** @default a worker thread of this process */
  readonly start?: (name: string) => ThreadHandle
}

/** What is said when calls have to wait, once: the remedy is a decision. */
const SATURATED =
  'worker threads are busy, and calls wait. A daemon keeps its thread for its whole life: raise settings.execution.maxWorkers, filter who gets a daemon, or do the work in an asynchronous function.'

/**
 * The worker threads of one run of an operator.
 * Guarantees: no thread before the first worker handler, and never more than `limit`; calls that wait get threads in their order, and leave
 * the queue when they are stopped; a thread that died is replaced; after disposal no thread is left.
 */
export class WorkerThreads implements Threads, AsyncDisposable {
  readonly #deps: WorkerThreadsDeps
  readonly #threads = new Set<ThreadHandle>()
  readonly #idle: ThreadHandle[] = []
  readonly #queue = new Set<(thread: ThreadHandle) => void>()
  readonly #calls = new Set<ThreadCall>()
  readonly #gauge: Gauge
  #told = false
  #started = 0

  constructor(deps: WorkerThreadsDeps) {
    this.#deps = deps
    this.#gauge = deps.runtime.metrics.gauge('worker_threads', 'Worker threads, and calls that wait for one', ['state'])
  }

  get figures(): WorkerFigures {
    const idle = this.#idle.length
    return { limit: this.#deps.limit, busy: this.#threads.size - idle, idle, waiting: this.#queue.size }
  }

  /** What is going on and will end by itself, in words. */
  get busy(): readonly string[] {
    return [...this.#calls].some(({ computing }) => computing) ? ['worker threads compute'] : []
  }

  /** Refuses modules that could not run, before anything is handled. */
  async check(modules: Iterable<URL>): Promise<void> {
    const files = new Map(Array.from(modules, (module) => [module.href, this.#file(module)]))
    if (files.size === 0) return
    const thread = await this.#acquire(this.#deps.stopping)
    try {
      for (const file of files.values()) await load(thread, file)
    } finally {
      this.#release(thread)
    }
  }

  async run(job: Job): Promise<Result> {
    const own = job.stopped ? undefined : this.#stopOfOperator()
    const stopped = job.stopped ?? (own as Disposable & { readonly control: StopControl }).control.stopped
    using waiting = linkedController(job.signal, stopped)
    const thread = await this.#acquire(waiting.signal).catch((error) => {
      own?.[Symbol.dispose]()
      throw error
    })
    const call = new ThreadCall(thread, { ...job, module: this.#file(job.module) }, stopped, this.#deps.alarms)
    this.#calls.add(call)
    try {
      return await call.run()
    } finally {
      this.#calls.delete(call)
      own?.[Symbol.dispose]()
      this.#release(thread)
    }
  }

  /** Terminates what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => thread.end()))
    this.#threads.clear()
    this.#idle.length = 0
    this.#measure()
  }

  #file(module: URL): URL {
    return moduleFile(module, this.#deps.abilities)
  }

  /** What asks a handler to end that is not a daemon: the operator stops. */
  #stopOfOperator(): Disposable & { readonly control: StopControl } {
    const control = new StopControl(this.#deps.alarms)
    const stop = () => control.stop('operator-exiting')
    const { stopping } = this.#deps
    if (stopping.aborted) stop()
    stopping.addEventListener('abort', stop, { once: true })
    return { control, [Symbol.dispose]: () => stopping.removeEventListener('abort', stop) }
  }

  #acquire(signal: AbortSignal): Promise<ThreadHandle> {
    signal.throwIfAborted()
    const thread = this.#rested() ?? (this.#threads.size < this.#deps.limit ? this.#start() : undefined)
    if (thread) {
      this.#measure()
      return Promise.resolve(thread)
    }
    return this.#wait(signal)
  }

  /** An idle thread; those that have died meanwhile are forgotten. */
  #rested(): ThreadHandle | undefined {
    for (let thread = this.#idle.pop(); thread; thread = this.#idle.pop()) {
      if (thread.alive) return thread
      this.#threads.delete(thread)
    }
    return undefined
  }

  #wait(signal: AbortSignal): Promise<ThreadHandle> {
    return new Promise((resolve, reject) => {
      const give = (thread: ThreadHandle) => {
        signal.removeEventListener('abort', leave)
        resolve(thread)
      }
      const leave = () => {
        this.#queue.delete(give)
        this.#measure()
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.add(give)
      this.#measure()
      if (!this.#told) this.#deps.runtime.logger.warn(`All ${this.#deps.limit} ${SATURATED}`)
      this.#told = true
    })
  }

  #start(): ThreadHandle {
    const { start = (name: string) => new OwnThread(name) } = this.#deps
    const thread = start(`binnacle-${++this.#started}`)
    this.#threads.add(thread)
    return thread
  }

  /** To whoever waits longest; one that died makes room for another. */
  #release(thread: ThreadHandle): void {
    if (!this.#threads.has(thread)) return
    if (!thread.alive) this.#threads.delete(thread)
    const [next] = this.#queue
    if (next) {
      this.#queue.delete(next)
      next(thread.alive ? thread : this.#start())
    } else if (thread.alive) this.#idle.push(thread)
    this.#measure()
  }

  #measure(): void {
    const { busy, idle, waiting } = this.figures
    this.#gauge.set(busy, { state: 'busy' })
    this.#gauge.set(idle, { state: 'idle' })
    this.#gauge.set(waiting, { state: 'waiting' })
  }
}

/** Has a thread import a file, without calling anything. */
function load(thread: ThreadHandle, file: URL): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const call = thread.take({
      heard: (message) => {
        if (message.type === 'done') resolve()
        if (message.type === 'failed') reject(unloadable(file, unpackError(message.error)))
      },
      died: reject,
    })
    thread.post({ type: 'load', call, module: file.href })
  }).finally(() => thread.rest())
}

function unloadable(file: URL, error: Error): BinnacleError {
  const { hint, fix } = error as Partial<BinnacleError>
  return new BinnacleError('BIN_WORKER', {
    message: `The file of a worker handler cannot be used: ${file.href}: ${error.message}`,
    hint,
    fix,
    cause: error,
  })
}
