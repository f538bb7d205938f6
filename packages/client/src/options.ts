import type { Duration, ObjectOf, RequestOptions, ResourceVersion } from '@binnacle/core'

/** Which object: its name, `namespace/name`, a pair, or the object itself. A name alone is looked up in the client's namespace. */
export type Ref =
  | string
  | { readonly name: string; readonly namespace?: string | undefined }
  | { readonly metadata: { readonly name: string; readonly namespace?: string | undefined } }

/** What an answer has if only metadata was asked for. apiVersion and kind are those of the object, and not of the answer's form. */
export type MetadataOf<R> = Pick<ObjectOf<R>, 'apiVersion' | 'kind' | 'metadata'>
/** Asks for metadata only: for large objects of which names, labels or owners are enough. */
export interface MetadataOnly {
  readonly metadataOnly: true
}

export interface ReadOptions extends RequestOptions {
  readonly subresource?: string
  readonly resourceVersion?: ResourceVersion
  /** Ask for metadata only; the rest of the object is then absent. @default false */
  readonly metadataOnly?: boolean
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
/** How the server shall read a patch that is an object. A list is always a JSON patch. */
export interface PatchOptions extends WriteOptions {
  /**
   * `'merge'` (RFC 7386) replaces lists as a whole. `'strategic'` merges lists of built-in kinds by the key of their items, such as containers by name;
   * custom resources do not know it. @default 'merge'
   */
  readonly strategy?: 'merge' | 'strategic'
}
/**
 * A strategic merge patch of `T`: every field optional, `null` deletes, items of lists are patches themselves, and may carry directives such as
 * `$patch: 'delete'` or `$patch: 'replace'`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…`.
 */
export type StrategicPatch<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer I)[]
    ? readonly StrategicPatch<I>[]
    : { readonly [K in keyof T]?: StrategicPatch<T[K]> | null } & StrategicDirectives
export interface StrategicDirectives {
  readonly $patch?: 'delete' | 'replace' | 'merge'
  readonly $retainKeys?: readonly string[]
  readonly [directive: `$setElementOrder/${string}` | `$deleteFromPrimitiveList/${string}`]: readonly unknown[]
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
export interface LogOptions extends RequestOptions {
  /** @default the only container of the pod, or the one of its annotation kubectl.kubernetes.io/default-container */
  readonly container?: string
  /** Go on with what is logged from now on, until the container ends. @default false */
  readonly follow?: boolean
  /** Only the last so many lines. @default all */
  readonly tail?: number
  /** Only what is younger than this. */
  readonly since?: Duration
  /** The log of the run before the present one. @default false */
  readonly previous?: boolean
  /** A time in front of each line. @default false */
  readonly timestamps?: boolean
  /** Nothing logged for this time: the stream ends with a NetworkError. @default the client's requestTimeout; none with `follow` */
  readonly inactivityTimeout?: Duration
}
export interface RawOptions extends RequestOptions {
  readonly query?: { readonly [name: string]: string | number | boolean | undefined }
  readonly headers?: { readonly [name: string]: string }
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown
  /** @default 'application/json' */
  readonly contentType?: string
}
