import { BinnacleError, messageOf } from '@binnacle/core'
import type { Result } from '../declare/options.ts'
import type { Stopped } from '../declare/stopped.ts'
import type { AlarmClock } from '../spawn/alarm-clock.ts'
import { errorParcel, unpackError } from './error-parcel.ts'
import type { Job } from './job.ts'
import type { FromThread } from './messages.ts'
import type { ThreadHandle } from './thread-handle.ts'

/**
 * One call of a handler in a thread.
 * Guarantees: it settles once, when the handler has really ended or its thread has; nothing listens afterwards. What the handler wrote is
 * merged in both cases, unless its thread has died. Of many changes of the object, at most one is on its way at a time: the newest is sent when
 * the last one has arrived.
 */
export class ThreadCall {
  readonly #thread: ThreadHandle
  readonly #job: Job
  readonly #stopped: Stopped
  readonly #alarms: Pick<AlarmClock, 'after'>
  readonly #ends: (() => void)[] = []
  #number = 0
  #waits = 0
  /** Bodies: whether one is on its way, and whether a newer one waits. */
  #sent = false
  #stale = false
  #settle: { resolve(result: Result): void; reject(error: unknown): void } | undefined

  constructor(thread: ThreadHandle, job: Job, stopped: Stopped, alarms: Pick<AlarmClock, 'after'>) {
    this.#thread = thread
    this.#job = job
    this.#stopped = stopped
    this.#alarms = alarms
  }

  /** The handler works, and does not wait for time. */
  get computing(): boolean {
    return this.#waits === 0
  }

  run(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
      this.#number = this.#thread.take({
        heard: (message) => this.#heard(message),
        died: (error) => this.#end(() => reject(this.#job.signal.aborted ? this.#job.signal.reason : error)),
      })
      this.#begin()
    })
  }

  #begin(): void {
    const { module, parcel, signal, live } = this.#job
    try {
      this.#thread.post({ type: 'call', call: this.#number, module: module.href, parcel })
    } catch (error) {
      return this.#end(() => this.#settle?.reject(unsendable(this.#job.id, error)))
    }
    this.#on(this.#stopped, () => this.#stop())
    this.#on(signal, () => this.#abort())
    if (live) this.#ends.push(live.changes(() => this.#refresh()))
  }

  #on(signal: AbortSignal, act: () => void): void {
    if (signal.aborted) act()
    signal.addEventListener('abort', act, { once: true })
    this.#ends.push(() => signal.removeEventListener('abort', act))
  }

  #stop(): void {
    const why = this.#stopped.reason?.why ?? 'operator-exiting'
    this.#thread.post({ type: 'stop', call: this.#number, why })
  }

  #abort(): void {
    const { signal, grace } = this.#job
    this.#thread.post({ type: 'abort', call: this.#number, error: errorParcel(signal.reason) })
    this.#ends.push(this.#alarms.after(grace, () => void this.#thread.end()))
  }

  #refresh(): void {
    this.#stale = true
    if (this.#sent || !this.#job.live) return
    this.#stale = false
    this.#sent = true
    this.#thread.post({ type: 'body', call: this.#number, body: this.#job.live.current() })
  }

  #heard(message: FromThread): void {
    const { logger, events, patch } = this.#job
    switch (message.type) {
      case 'log':
        return logger[message.level](message.message, message.fields)
      case 'remark':
        return (events[message.method] as (...args: readonly unknown[]) => void)(...message.args)
      case 'wait':
        return void this.#wait(message.wait, message.seconds)
      case 'seen':
        this.#sent = false
        return this.#stale ? this.#refresh() : undefined
      case 'done':
      case 'failed': {
        const { merge } = patch as { merge(change: object): void }
        merge(message.merge)
        return this.#end(() => this.#settled(message))
      }
    }
  }

  #settled(message: FromThread & { readonly type: 'done' | 'failed' }): void {
    if (message.type === 'done') return this.#settle?.resolve(message.result as Result)
    const echo = message.error.kind === 'stop' && this.#stopped.aborted
    this.#settle?.reject(echo ? this.#stopped.reason : unpackError(message.error))
  }

  async #wait(wait: number, seconds: number | undefined): Promise<void> {
    this.#waits++
    // Force rejects it; the thread hears of that by the abort of its signal.
    const stopped = await this.#stopped.wait(seconds).catch(() => true)
    this.#waits--
    if (this.#settle) this.#thread.post({ type: 'woken', call: this.#number, wait, stopped })
  }

  #end(settle: () => void): void {
    for (const end of this.#ends.splice(0)) end()
    this.#thread.rest()
    settle()
    this.#settle = undefined
  }
}

function unsendable(id: string, error: unknown): BinnacleError {
  return new BinnacleError('BIN_WORKER', {
    message: `What handler "${id}" is called with cannot be sent to its thread: ${messageOf(error)}`,
    hint: 'Give a `param` of plain data.',
    cause: error,
  })
}
