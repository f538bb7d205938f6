import { statusProgress } from './status-store.ts'
import type { AnnotationsOptions, DiffBaseStorage, ProgressStorage, StatusOptions } from './storage.ts'
import { annotationsProgress } from './store.ts'

/** Several storages as one, for those who move from one to another. */

/** Writes to all, reads from the first that knows. */
export function multiProgress(...storages: readonly ProgressStorage[]): ProgressStorage {
  return {
    fetch: (id, body) => firstOf(storages, (storage) => storage.fetch(id, body)),
    store: (id, record, body, patch) => {
      for (const storage of storages) storage.store(id, record, body, patch)
    },
    purge: (id, body, patch) => {
      for (const storage of storages) storage.purge(id, body, patch)
    },
    clear: (essence) => storages.reduce((left, storage) => storage.clear?.(left) ?? left, essence),
    bind: (owner) => multiProgress(...storages.map((storage) => storage.bind?.(owner) ?? storage)),
  }
}

/** Annotations, and what was once kept in the status: it is read and taken away, but not written any more. */
export function smartProgress(options: AnnotationsOptions & StatusOptions = {}): ProgressStorage {
  return multiProgress(annotationsProgress(options), withoutWriting(statusProgress(options)))
}

function withoutWriting(storage: ProgressStorage): ProgressStorage {
  return {
    fetch: (id, body) => storage.fetch(id, body),
    store: () => {},
    purge: (id, body, patch) => storage.purge(id, body, patch),
    bind: (owner) => withoutWriting(storage.bind?.(owner) ?? storage),
  }
}

/** Writes to all, reads from the first that knows. */
export function multiDiffBase(...storages: readonly DiffBaseStorage[]): DiffBaseStorage {
  const [first] = storages
  if (!first) throw new RangeError('multiDiffBase needs a storage')
  return {
    ...(first.build && { build: (body, extraFields) => first.build?.(body, extraFields) ?? {} }),
    fetch: (body) => firstOf(storages, (storage) => storage.fetch(body)),
    store: (body, patch, essence) => {
      for (const storage of storages) storage.store(body, patch, essence)
    },
    bind: (owner) => multiDiffBase(...storages.map((storage) => storage.bind?.(owner) ?? storage)),
  }
}

function firstOf<S, T>(storages: readonly S[], ask: (storage: S) => T | undefined): T | undefined {
  for (const storage of storages) {
    const found = ask(storage)
    if (found !== undefined) return found
  }
  return undefined
}
