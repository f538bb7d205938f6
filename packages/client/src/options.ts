import type { Duration, RequestOptions, ResourceVersion } from '@binnacle/core'

/** Which object: its name, `namespace/name`, a pair, or the object itself. A name alone is looked up in the client's namespace. */
export type Ref =
  | string
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }

export interface ReadOptions extends RequestOptions {
  readonly subresource?: string
  readonly resourceVersion?: ResourceVersion
}
export interface WriteOptions extends RequestOptions {
  readonly subresource?: string
  /** Check and answer, but store nothing. @default the client's, which is false */
  readonly dryRun?: boolean
  /** @default the client's */
  readonly fieldManager?: string
  /** What becomes of fields that the server does not know. @default the server's, which is 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict'
}
export interface ApplyOptions extends WriteOptions {
  /** Take fields over from other managers, as is right for a controller. @default true */
  readonly force?: boolean
}
export interface DeleteOptions extends RequestOptions {
  /** What becomes of the dependents. @default the server's, which is 'Background' for nearly all kinds */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan'
  /** In whole seconds, rounded up. @default the object's */
  readonly gracePeriod?: Duration
  /** Refuse unless the object is this very one. Passing the object as ref sets `uid`. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: ResourceVersion }
  readonly dryRun?: boolean
}
export interface RawOptions extends RequestOptions {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly headers?: { readonly [name: string]: string }
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown
  /** @default 'application/json' */
  readonly contentType?: string
}
