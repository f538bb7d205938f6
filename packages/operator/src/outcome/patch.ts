import {
  applyMergePatch,
  combineMergePatch,
  copyJson,
  createJsonPatch,
  isPlainObject,
  type JsonPatch,
  type KubeObject,
  setOwn,
} from '@binnacle/core'

/** Sections that are always there to assign to. */
const SECTIONS = ['spec', 'status', 'data', 'stringData', 'binaryData'] as const

export type Edit = (draft: object) => void

/** A change of an object, as data: members to merge, and functions that edit what is there. */
export interface ObjectChange {
  readonly merge: { readonly [field: string]: unknown }
  readonly edits: readonly Edit[]
}

export const NO_CHANGE: ObjectChange = { merge: {}, edits: [] }

/** Both changes in one, the later one winning where they differ. */
export function joined(earlier: ObjectChange, later: ObjectChange): ObjectChange {
  if (isEmptyChange(earlier)) return later
  const merge = copyJson(earlier.merge)
  combineMergePatch(merge, later.merge)
  return { merge, edits: [...earlier.edits, ...later.edits] }
}

/**
 * What handlers write into, kept as data.
 * Guarantees: nothing is sent from here; an empty section is the same as none; what was assigned is read when the change is taken, so
 * assignments deep inside a section count.
 */
export function patchDraft(refuseEdits?: () => never): { readonly patch: object; take(): ObjectChange } {
  const patch = emptySections()
  const edits: Edit[] = []
  const take = (): ObjectChange => ({ merge: withoutEmptySections(patch), edits: [...edits] })
  const hidden = {
    meta: patch['metadata'],
    merge: (change: object) => combineMergePatch(patch, change),
    edit: refuseEdits ?? ((change: Edit) => void edits.push(change)),
    toJSONPatch: (body: KubeObject) => createJsonPatch(body, changed(body, take())),
  }
  for (const [name, value] of Object.entries(hidden)) Object.defineProperty(patch, name, { value })
  Object.defineProperty(patch, 'isEmpty', { get: () => isEmptyChange(take()) })
  return { patch, take }
}

function emptySections(): Record<string, unknown> {
  const patch: Record<string, unknown> = { metadata: { labels: {}, annotations: {} } }
  for (const section of SECTIONS) patch[section] = {}
  return patch
}

export function isEmptyChange(change: ObjectChange): boolean {
  return change === NO_CHANGE || (change.edits.length === 0 && Object.keys(change.merge).length === 0)
}

/** The object as the change wants it to be. */
export function changed<T extends KubeObject>(body: T, { merge, edits }: ObjectChange): T {
  const merged = applyMergePatch(body, merge) as T
  if (edits.length === 0) return merged
  const draft = copyJson(merged)
  for (const edit of edits) edit(draft)
  return draft
}

/** The operations that make the change, against the given body. */
export function operations(body: KubeObject, change: ObjectChange): JsonPatch {
  return createJsonPatch(body, changed(body, change))
}

function withoutEmptySections(patch: object): { [field: string]: unknown } {
  const merge = {}
  for (const [key, value] of Object.entries(patch)) {
    const kept = key === 'metadata' && isPlainObject(value) ? withoutEmptySections(value) : value
    if (kept !== undefined && !(isPlainObject(kept) && Object.keys(kept).length === 0))
      setOwn(merge, key, copyJson(kept))
  }
  return merge
}
