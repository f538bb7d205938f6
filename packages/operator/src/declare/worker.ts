import type { Duration, KubeObject, Logger, ObjectOf, OwnerReference, ResourceLike, WatchEvent } from '@binnacle/core'
import type { EventRecorder } from '../report/recorder.ts'
import type { Attempt, ObjectView, Reason } from './context.ts'
import { DeclarationError } from './declaration-error.ts'
import type { Diff } from './diff.ts'
import type { AnyEnv } from './env.ts'
import type { HandlerFunction } from './handler.ts'
import type { AdoptOptions } from './hierarchies.ts'
import type { Result } from './options.ts'
import type { Patch } from './patch.ts'
import type { StopReason } from './stopped.ts'

/** A handler that lives in a file of its own and runs in a worker thread, for work that would block the event loop. */
export interface WorkerModule {
  /** What stands for its function: the same for all causes that one value is declared for. */
  readonly '~worker': HandlerFunction
}

/** What a file of a worker handler exports, made by `inWorker`. */
export interface WorkerFunction {
  readonly '~inWorker': (context: object) => unknown
}

/** As `Stopped`, in a thread of its own, where waiting may block. Reading it, or the object, brings it up to date, also in a loop that never awaits. */
export interface BlockingStopped extends AbortSignal {
  readonly reason: StopReason | undefined
  /**
   * Sleeps and blocks the thread, but wakes up when stopped. Returns whether it was stopped: `while (!stopped.wait('10s')) …`.
   * Without a duration it waits for the stop. Throws the reason when the handler is cancelled by force.
   */
  wait(duration?: Duration): boolean
  /** The same without blocking, for asynchronous functions. */
  waitAsync(duration?: Duration): Promise<boolean>
  /** Yields 0, 1, 2, … at once and then after each pause, without blocking, and ends when stopped. */
  every(duration: Duration): AsyncIterableIterator<number>
}

/**
 * What a worker handler gets: what can be sent to a thread. Indices, `memo`, `shared`, `client` and `step` stay behind.
 * `body`, `spec`, `status`, `meta`, `labels` and `annotations` are live for daemons and timers, as on the event loop.
 */
export interface WorkerContext<T extends KubeObject>
  extends Omit<ObjectView<T, AnyEnv>, 'memo' | 'shared'>,
    // biome-ignore lint/suspicious/noExplicitAny: `param` is whatever the declaration gives
    Attempt<any> {
  readonly logger: Logger
  /** What can be merged; `edit` needs a function, which cannot leave its thread. */
  readonly patch: Omit<Patch<T>, 'edit'>
  readonly events: EventRecorder
  readonly stopped: BlockingStopped
  adopt<const O extends object>(child: O, options?: AdoptOptions): O
  readonly ownerReference: OwnerReference
  /** For changes only, and so are the next four. With `field`, they are about that field, else about the whole content. */
  readonly reason?: Reason
  readonly old?: unknown
  readonly new?: unknown
  readonly current?: unknown
  readonly diff?: Diff<T>
  /** For events of the watch only; null when the object came with a listing. */
  readonly type?: 'ADDED' | 'MODIFIED' | 'DELETED' | null
  readonly event?: Extract<WatchEvent<T>, { readonly object: T }> | { readonly type: null; readonly object: T }
}

/**
 * Names the file of a handler, in the place of its function. The id defaults to the name of the file.
 * Guarantees: a file that is not there, or exports no handler, ends the start of the operator. Where `./crunch.ts` is not there, or this Node
 * does not run TypeScript, `./crunch.js` beside it is taken.
 * @example op.daemon(Kex, worker(new URL('./crunch.ts', import.meta.url)))
 */
export function worker(url: URL): WorkerModule {
  if (url instanceof URL && ['file:', 'data:'].includes(url.protocol)) return { '~worker': standIn(url) }
  throw new DeclarationError({
    message: `A worker handler is named by the URL of a file, and not by ${JSON.stringify(url)}`,
    hint: 'Give the file relative to the one that declares the handler.',
    fix: "worker(new URL('./crunch.ts', import.meta.url))",
  })
}

/**
 * The handler of a worker file, which is its one export of this kind, under any name. The resource gives the types of the context.
 * @example export const crunch = inWorker(Kex, ({ spec, stopped }) => { while (!stopped.wait('10s')) compute(spec) })
 */
export function inWorker<R extends ResourceLike>(
  _resource: R,
  fn: (ctx: WorkerContext<ObjectOf<R>>) => Result | Promise<Result>,
): WorkerFunction {
  return { '~inWorker': fn as (context: object) => unknown }
}

export function isWorkerModule(given: unknown): given is WorkerModule {
  return typeof given === 'object' && given !== null && '~worker' in given
}

/** On the event loop: its name is that of the file, and it is never called. */
function standIn(module: URL): HandlerFunction {
  const fn = () => {
    throw new TypeError(`${module.href} runs in a worker thread`)
  }
  Object.defineProperty(fn, 'name', { value: module.protocol === 'file:' ? baseName(module) : '' })
  return Object.assign(fn, { module })
}

/** Refuses what could never arrive in a thread. */
export function checkSendable(param: unknown, declared: string): void {
  try {
    structuredClone(param)
  } catch (error) {
    throw new DeclarationError({
      message: `The \`param\` of ${declared} cannot be sent to a worker thread: ${(error as Error).message}`,
      hint: 'Give plain data: numbers, strings, lists, plain objects, Maps, Sets, dates; no functions, no instances of classes.',
    })
  }
}

/** For whoever has imported the file of a worker handler and declares what it exports. */
export function checkNotInlined(given: unknown, declared: string): void {
  if (typeof given !== 'object' || given === null || !('~inWorker' in given)) return
  throw new DeclarationError({
    message: `${declared} was given the handler of a worker file itself, which would run on the event loop`,
    hint: 'Do not import the file: name it.',
    fix: "worker(new URL('./crunch.ts', import.meta.url))",
  })
}

function baseName({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(pathname.lastIndexOf('/') + 1)).replace(/\.[cm]?[jt]s$/, '')
}
