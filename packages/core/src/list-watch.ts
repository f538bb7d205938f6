import type { Status } from './api-error.ts'
import type { Duration } from './duration.ts'
import type { KubeObject } from './object.ts'
import type { ResourceVersion } from './resource-version.ts'

/** What the client offers and the cache asks for: the one place where both agree on how objects are listed and watched. */

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Deadline of the whole request, retries included. */
  readonly timeout?: Duration
}

export interface ListOptions extends RequestOptions {
  /** Default: the client's namespace scope; `'*'` is all namespaces. */
  readonly namespace?: string | undefined
  readonly labels?: string | { readonly [label: string]: string }
  readonly fields?: string | { readonly [field: string]: string }
  readonly resourceVersion?: ResourceVersion
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan'
  readonly limit?: number
  readonly continue?: string
  /** Ask for metadata only; the rest of the object is then absent. */
  readonly metadataOnly?: boolean
}

export interface WatchOptions extends ListOptions {
  readonly bookmarks?: boolean
  /** Stream the current state first, closed by an annotated bookmark. */
  readonly sendInitialEvents?: boolean
  /** The server ends the stream after this time. */
  readonly serverTimeout?: Duration
  /** Nothing received for this time: the stream ends with a NetworkError. */
  readonly inactivityTimeout?: Duration
}

/** One line of a watch. A bookmark carries only a version; an error ends the stream. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: Status }
