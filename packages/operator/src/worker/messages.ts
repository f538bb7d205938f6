import type { KubeObject, ResourceInfo } from '@binnacle/core'
import type { StopWhy } from '../declare/stopped.ts'
import type { ErrorParcel } from './error-parcel.ts'

/** What of a context can be sent to a thread. */
export interface Parcel {
  readonly resource: ResourceInfo
  readonly body: KubeObject
  /** The body follows the object while the handler runs. */
  readonly live: boolean
  readonly param: unknown
  readonly retry: number
  readonly started: Date
  readonly runtime: number
  readonly idempotencyKey: string
  /** What is only there for some handlers: the change, or the event. */
  readonly extra: object
}

/** What a thread is made with. */
export interface ThreadStart {
  /** Is rung with each message, so that code which never awaits hears of it too. */
  readonly bell: SharedArrayBuffer
}

/** From the event loop to a thread. All but the first two are about the call of that number, and too late when it has ended. */
export type ToThread =
  | { readonly type: 'load'; readonly call: number; readonly module: string }
  | { readonly type: 'call'; readonly call: number; readonly module: string; readonly parcel: Parcel }
  | { readonly type: 'body'; readonly call: number; readonly body: KubeObject }
  | { readonly type: 'stop'; readonly call: number; readonly why: StopWhy }
  | { readonly type: 'abort'; readonly call: number; readonly error: ErrorParcel }
  | { readonly type: 'woken'; readonly call: number; readonly wait: number; readonly stopped: boolean }

/** From a thread to the event loop. */
export type FromThread =
  | { readonly type: 'log'; readonly level: ThreadLevel; readonly message: string; readonly fields: object | undefined }
  | { readonly type: 'remark'; readonly method: RemarkMethod; readonly args: readonly unknown[] }
  | { readonly type: 'wait'; readonly wait: number; readonly seconds: number | undefined }
  /** The last body has arrived: the next one may be sent. */
  | { readonly type: 'seen' }
  | { readonly type: 'done'; readonly result: unknown; readonly merge: object }
  | { readonly type: 'failed'; readonly error: ErrorParcel; readonly merge: object }

export type ThreadLevel = 'debug' | 'info' | 'warn' | 'error'
export type RemarkMethod = 'event' | 'info' | 'warn' | 'exception'
