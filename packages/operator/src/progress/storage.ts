import type { AnyObject, FieldKeys, KubeObject } from '@binnacle/core'
import type { Patch } from '../declare/patch.ts'
import type { Progress } from './progress.ts'
import type { HandledDigest } from './size-guard.ts'

/** What storages write into: it is sent with the patch of the cycle. */
export type StoragePatch = Patch<AnyObject>

/** What storages whose names derive from the operator's are told at its start. */
export interface StorageOwner {
  readonly name: string
  /** Of annotations. */
  readonly prefix: string
  /** Bytes after which the last-handled state is kept compressed, and after which as a digest. */
  readonly sizeLimits: SizeLimits
}

export interface SizeLimits {
  readonly compress: number
  readonly digest: number
}

/** Where progress is kept. Methods other than `fetch` only add to the patch. */
export interface ProgressStorage {
  fetch(id: string, body: KubeObject): Progress | undefined
  store(id: string, record: Progress, body: KubeObject, patch: StoragePatch): void
  purge(id: string, body: KubeObject, patch: StoragePatch): void
  /** The essence without what this storage has put into it. @default as it is */
  clear?<E extends object>(essence: E): E
  /** Called once, at the start of a run: the storage as it is for this operator. @default itself */
  bind?(owner: StorageOwner): ProgressStorage
}

/** Where the last-handled state is kept: what the next change is compared with. */
export interface DiffBaseStorage {
  /** What counts as content of the object. @default all but status, noise and the marks of operators */
  build?(body: KubeObject, extraFields: readonly FieldKeys[]): { readonly [field: string]: unknown }
  /** A digest where the state was too large to be kept: a change is still noticed, but not what it was before. */
  fetch(body: KubeObject): { readonly [field: string]: unknown } | HandledDigest | undefined
  store(body: KubeObject, patch: StoragePatch, essence: { readonly [field: string]: unknown }): void
  /** Called once, at the start of a run: the storage as it is for this operator. @default itself */
  bind?(owner: StorageOwner): DiffBaseStorage
}

export interface AnnotationsOptions {
  /** Of the annotations. @default derived from the operator's name */
  readonly prefix?: string
}
export interface StatusOptions {
  /** The field of the object that holds the state. @default `status.<operator name>` */
  readonly field?: string
}
export interface DiffBaseOptions {
  /** Fields that are no content, as dotted paths. @default none */
  readonly ignoredFields?: readonly string[]
}
