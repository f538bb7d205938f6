import { type FieldKeys, fieldKeys, type KubeObject, setOwn, valueAt } from '@binnacle/core'
import { contentOf, isSame, unboundDiffBase } from './last-handled.ts'
import { packed, unpacked } from './size-guard.ts'
import type { DiffBaseOptions, DiffBaseStorage, ProgressStorage, StatusOptions, StoragePatch } from './storage.ts'
import { progressFrom, unbound } from './store.ts'

/**
 * State in the status of objects, for kinds whose annotations are somebody else's.
 * Assumes: the schema of the kind keeps the field; one that prunes it makes handlers run again and again.
 */

/** Progress in the status, as a mapping by id. */
export function statusProgress({ field }: StatusOptions = {}): ProgressStorage {
  if (field !== undefined) return statusUnder(fieldKeys(field))
  return unbound(({ name }) => statusUnder(['status', name]))
}

function statusUnder(field: FieldKeys): ProgressStorage {
  const keysOf = (id: string) => [...field, 'progress', id]
  return {
    fetch: (id, body) => progressFrom(valueAt(body, keysOf(id))),
    store: (id, record, _, patch) => put(patch, keysOf(id), record),
    purge(id, body, patch) {
      if (valueAt(body, keysOf(id)) !== undefined) put(patch, keysOf(id), null)
    },
  }
}

/** The last-handled state in the status, as text. */
export function statusDiffBase(options: StatusOptions & DiffBaseOptions = {}): DiffBaseStorage {
  return unboundDiffBase(({ name, sizeLimits }) => {
    const field = options.field === undefined ? ['status', name] : fieldKeys(options.field)
    const keys = [...field, 'last-handled-configuration']
    const fetch = (body: KubeObject) => {
      const text = valueAt(body, keys)
      return typeof text === 'string' ? unpacked(text) : undefined
    }
    return {
      build: (body, extraFields) => contentOf(body, extraFields, options),
      fetch,
      store(body, patch, essence) {
        if (!isSame(fetch(body), essence)) put(patch, keys, packed(essence, sizeLimits))
      },
    }
  })
}

function put(patch: StoragePatch, keys: FieldKeys, value: unknown): void {
  const change = keys.reduceRight<unknown>((inner, key) => {
    const outer = {}
    setOwn(outer, key, inner)
    return outer
  }, value)
  patch.merge(change as object)
}
