import { type Duration, type KubeObject, type Logger, seconds } from '@binnacle/core'
import { type AdoptOptions, adopt, ownerReference } from '../declare/hierarchies.ts'
import { StopReason, type StopWhy } from '../declare/stopped.ts'
import { patchDraft } from '../outcome/patch.ts'
import { liveView } from '../spawn/live-view.ts'
import { unpackError } from './error-parcel.ts'
import type { Mailbox } from './mailbox.ts'
import type { FromThread, Parcel, RemarkMethod, ThreadLevel, ToThread } from './messages.ts'
import { absent, type Waiting, Waits } from './waits.ts'

const EMPTY = Object.freeze({})
const LEFT_BEHIND = ['client', 'memo', 'shared', 'step'] as const

/**
 * The context of a worker handler, in its thread.
 * Guarantees: the object, `stopped.aborted` and `signal.aborted` are up to date whenever they are read, also in code that never awaits;
 * listeners on the two signals are called as soon as the thread gives way, or looks.
 */
export class ThreadContext {
  readonly context: object
  readonly #mailbox: Mailbox
  readonly #post: (message: FromThread) => void
  readonly #draft = patchDraft(refuseEdits)
  readonly #stop = new AbortController()
  readonly #abort = new AbortController()
  readonly #waits: Waits
  #body: KubeObject

  constructor(parcel: Parcel, mailbox: Mailbox, post: (message: FromThread) => void) {
    this.#mailbox = mailbox
    this.#post = post
    this.#body = parcel.body
    this.#waits = new Waits(mailbox, this.#abort.signal, post)
    this.context = this.#contextOf(parcel)
  }

  receive(message: Exclude<ToThread, { readonly type: 'load' | 'call' }>): void {
    if (message.type === 'body') {
      this.#body = message.body
      this.#post({ type: 'seen' })
    } else if (message.type === 'stop') this.#stopFor(message.why)
    else if (message.type === 'abort') this.#abortWith(message)
    else this.#waits.woken(message)
  }

  /** What was written, as something to merge. */
  taken(): object {
    return this.#draft.take().merge
  }

  #stopFor(why: StopWhy): void {
    this.#stop.abort(new StopReason(why, () => (this.#abort.signal.aborted ? 'cancelled' : 'signalled')))
  }

  #abortWith({ error }: ToThread & { readonly type: 'abort' }): void {
    const byForce = error.kind === 'stop' && this.#stop.signal.aborted
    this.#abort.abort(byForce ? this.#stop.signal.reason : unpackError(error))
    this.#waits.aborted()
  }

  #contextOf(parcel: Parcel): object {
    const { resource, param, retry, started, runtime, idempotencyKey, extra } = parcel
    const { uid, name, namespace } = parcel.body.metadata
    const context = {
      ...{ resource, uid, name, namespace, param, retry, started, runtime, idempotencyKey },
      ...extra,
      ...(parcel.live ? this.#views((current) => liveView(current)) : this.#views((current) => current())),
      patch: this.#draft.patch,
      logger: this.#logger({}),
      events: this.#recorder(),
      signal: this.#watched(this.#abort.signal, {}),
      stopped: this.#watched(this.#stop.signal, this.#waiting()),
      adopt: (child: object, options?: AdoptOptions) => adopt(child, this.#current, options),
      ownerReference: ownerReference(parcel.body),
    }
    for (const left of LEFT_BEHIND) absent(context, left)
    return context
  }

  get #current(): KubeObject {
    this.#mailbox.sync()
    return this.#body
  }

  #views(view: (current: () => object) => object): object {
    const part = (name: 'spec' | 'status') => () =>
      (this.#current as { readonly spec?: object; readonly status?: object })[name] ?? EMPTY
    return {
      body: view(() => this.#current),
      spec: view(part('spec')),
      status: view(part('status')),
      meta: view(() => this.#current.metadata),
      labels: view(() => this.#current.metadata.labels ?? EMPTY),
      annotations: view(() => this.#current.metadata.annotations ?? EMPTY),
    }
  }

  /** A real signal that looks for news before it says that there are none. */
  #watched(signal: AbortSignal, more: object): AbortSignal {
    const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')?.get as () => boolean
    const aborted = () => {
      this.#mailbox.sync()
      return isAborted.call(signal)
    }
    return Object.defineProperty(Object.assign(signal, more), 'aborted', { get: aborted })
  }

  #waiting(): Waiting {
    const waits = this.#waits
    const lengthOf = (duration: Duration | undefined) => (duration === undefined ? undefined : seconds(duration))
    const waitAsync = (duration?: Duration) => waits.later(lengthOf(duration))
    const { signal } = this.#stop
    return {
      wait: (duration) => waits.blocking(lengthOf(duration)),
      waitAsync,
      async *every(duration) {
        for (let round = 0; !signal.aborted; round++) {
          yield round
          if (await waitAsync(duration)) return
        }
      },
    }
  }

  #logger(known: object): Logger {
    const write = (level: ThreadLevel) => (message: string | Error, fields?: object) =>
      this.#say({ type: 'log', level, message: textOf(message), fields: { ...known, ...errorOf(message), ...fields } })
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => this.#logger({ ...known, ...fields }),
    }
  }

  /** A line is not lost because one of its fields cannot be sent. */
  #say(line: FromThread & { readonly type: 'log' }): void {
    try {
      this.#post(line)
    } catch {
      this.#post({ ...line, fields: { fields: Object.keys(line.fields ?? {}).join(', ') } })
    }
  }

  #recorder(): object {
    const remark =
      (method: RemarkMethod) =>
      (...args: readonly unknown[]) =>
        this.#post({ type: 'remark', method, args })
    return { event: remark('event'), info: remark('info'), warn: remark('warn'), exception: remark('exception') }
  }
}

function refuseEdits(): never {
  throw new TypeError(
    '`patch.edit` needs a function, which cannot leave its thread: assign to `patch`, or use `patch.merge`',
  )
}

function textOf(message: string | Error): string {
  return typeof message === 'string' ? message : message.message
}

function errorOf(message: string | Error): object {
  return typeof message === 'string' ? {} : { error: message }
}
