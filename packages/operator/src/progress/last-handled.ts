import { deepEqual, type FieldKeys, fieldKeys, isPlainObject, type KubeObject } from '@binnacle/core'
import { digest } from '../cause/digest.ts'
import { type Essence, essenceOf } from '../cause/essence.ts'
import { annotationKey } from './annotations.ts'
import { type HandledDigest, isHandledDigest, packed, unpacked } from './size-guard.ts'
import type { AnnotationsOptions, DiffBaseOptions, DiffBaseStorage, StorageOwner } from './storage.ts'
import { annotate, withoutPrefix } from './store.ts'

/** The last-handled state in an annotation, written only when it differs, compressed or as a digest where it is too large. */
export function annotationsDiffBase(options: AnnotationsOptions & DiffBaseOptions = {}): DiffBaseStorage {
  return unboundDiffBase((owner) => {
    const prefix = options.prefix ?? owner.prefix
    const key = annotationKey(prefix, 'last-handled-configuration')
    const fetch = ({ metadata }: KubeObject) => unpacked(metadata.annotations?.[key])
    return {
      build: (body, extraFields) => withoutPrefix(contentOf(body, extraFields, options), prefix),
      fetch,
      store(body, patch, essence) {
        if (isSame(fetch(body), essence)) return
        annotate(patch, body.metadata.annotations, key, packed(essence, owner.sizeLimits))
      },
    }
  })
}

/** What counts as content, without what was to be ignored. */
export function contentOf(
  body: KubeObject,
  extraFields: readonly FieldKeys[],
  { ignoredFields = [] }: DiffBaseOptions,
): Essence {
  return ignoredFields.map(fieldKeys).reduce(without, essenceOf(body, extraFields))
}

/** Whether what was stored is this state. */
export function isSame(stored: Essence | HandledDigest | undefined, essence: Essence): boolean {
  return isHandledDigest(stored) ? stored['~digest'] === digest(essence) : deepEqual(stored, essence)
}

export function unboundDiffBase(bind: (owner: StorageOwner) => DiffBaseStorage): DiffBaseStorage {
  const fail = (): never => {
    throw new TypeError('This storage is used by a running operator: call `bind` to use it by itself')
  }
  return { fetch: fail, store: fail, bind }
}

function without(essence: Essence, [first, ...rest]: FieldKeys): Essence {
  if (first === undefined || !Object.hasOwn(essence, first)) return essence
  const { [first]: inner, ...others } = essence
  if (rest.length === 0) return others
  if (!isPlainObject(inner)) return essence
  const left = without(inner, rest)
  return Object.keys(left).length > 0 ? { ...others, [first]: left } : others
}
