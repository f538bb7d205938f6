// biome-ignore-all lint/suspicious/noExplicitAny: loose objects are part of the face, so that a first operator needs no types
import type { Draft, JsonPatch, MergePatch } from '@binnacle/core'

type Section = 'spec' | 'status' | 'data' | 'stringData' | 'binaryData'

interface PatchMeta {
  labels: { [label: string]: string | null }
  annotations: { [annotation: string]: string | null }
}

/**
 * The changes that a handler wants, collected and sent as one request after it. Assign to fields; null deletes a field.
 * Sections (`spec`, `status`, `data`, `metadata.labels`, …) are always there to assign to, and an empty one sends nothing.
 */
export type Patch<T> = string extends keyof T
  ? AnyPatch & PatchMethods<T>
  : { -readonly [K in Section & keyof T]-?: Extract<MergePatch<NonNullable<T[K]>>, object> } & {
      -readonly [K in Exclude<keyof T, Section | 'apiVersion' | 'kind' | 'metadata'>]?: MergePatch<T[K]> | null
    } & { readonly metadata: PatchMeta; readonly meta: PatchMeta } & PatchMethods<T>

interface AnyPatch {
  readonly metadata: PatchMeta
  readonly meta: PatchMeta
  [section: string]: any
}
interface PatchMethods<T> {
  /** Merges a nested change: `patch.merge({ spec: { template: { … } } })`. */
  merge(change: MergePatch<T>): void
  /**
   * A change that depends on what is there (append to a list, increment). The function edits a draft of the freshest body;
   * it is sent as a JSON patch guarded by the version and runs again on conflict, so it must be re-runnable.
   */
  edit(change: (draft: Draft<T>) => void): void
  readonly isEmpty: boolean
  /** What would be sent, against the given body. */
  toJSONPatch(body: T): JsonPatch
}
