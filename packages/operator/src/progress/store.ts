import { isPlainObject, type StringMap, valueAt } from '@binnacle/core'
import { annotationKey, readAnnotation } from './annotations.ts'
import type { Progress } from './progress.ts'
import type { AnnotationsOptions, ProgressStorage, StoragePatch } from './storage.ts'

/** Progress in annotations, one for each handler, so that an object carries only what is under way. */
export function annotationsProgress({ prefix }: AnnotationsOptions = {}): ProgressStorage {
  if (prefix !== undefined) return annotationsUnder(prefix)
  return unbound((owner) => annotationsUnder(owner.prefix))
}

function annotationsUnder(prefix: string): ProgressStorage {
  const keyOf = remembered((id) => annotationKey(prefix, `progress.${id}`))
  return {
    fetch: (id, body) => progressFrom(readAnnotation(body.metadata.annotations, keyOf(id))),
    store: (id, record, body, patch) => annotate(patch, body.metadata.annotations, keyOf(id), JSON.stringify(record)),
    purge: (id, body, patch) => unannotate(patch, body.metadata.annotations, keyOf(id)),
    clear: (essence) => withoutPrefix(essence, prefix),
  }
}

/** Ids of handlers are few; those of steps may be made of anything. */
const MOST_KEYS = 1000

function remembered(keyOf: (id: string) => string): (id: string) => string {
  const keys = new Map<string, string>()
  return (id) => {
    const known = keys.get(id)
    if (known !== undefined) return known
    if (keys.size >= MOST_KEYS) keys.clear()
    const key = keyOf(id)
    keys.set(id, key)
    return key
  }
}

/** Writes an annotation, unless it is there. */
export function annotate(patch: StoragePatch, present: StringMap | undefined, key: string, text: string): void {
  if (present?.[key] !== text) patch.metadata.annotations[key] = text
}

/** Takes an annotation away, also one that was to be written a moment ago. */
export function unannotate(patch: StoragePatch, present: StringMap | undefined, key: string): void {
  if (present?.[key] !== undefined) patch.metadata.annotations[key] = null
  else delete patch.metadata.annotations[key]
}

/** A storage that is asked for its own before it knows whose it is. */
export function unbound(bind: NonNullable<ProgressStorage['bind']>): ProgressStorage {
  const fail = (): never => {
    throw new TypeError(
      'This storage takes its names from an operator: give it a prefix or a field to use it by itself',
    )
  }
  return { fetch: fail, store: fail, purge: fail, bind }
}

/** The essence without the annotations of a storage, and without the stanzas that are then empty. */
export function withoutPrefix<E extends object>(essence: E, prefix: string): E {
  const annotations = valueAt(essence, ['metadata', 'annotations'])
  if (!isPlainObject(annotations)) return essence
  const kept = Object.entries(annotations).filter(([key]) => !key.startsWith(`${prefix}/`))
  if (kept.length === Object.keys(annotations).length) return essence
  const { metadata, ...rest } = essence as { metadata: { annotations: object } }
  const { annotations: _, ...others } = metadata
  const stanzas = { ...others, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) }
  return { ...rest, ...(Object.keys(stanzas).length > 0 && { metadata: stanzas }) } as E
}

/** State can be edited by hand: a time that is none, or a number of attempts that is none, would spoil every wait made of it. */
export function progressFrom(record: unknown): Progress | undefined {
  if (!isPlainObject(record)) return undefined
  const { started, delayed, retries, subrefs } = record
  const valid =
    isTime(started) &&
    (delayed === undefined || isTime(delayed)) &&
    Number.isSafeInteger(retries) &&
    Number(retries) >= 0 &&
    (subrefs === undefined || (Array.isArray(subrefs) && subrefs.every((id) => typeof id === 'string')))
  return valid ? (record as unknown as Progress) : undefined
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
