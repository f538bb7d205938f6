import type { DiffBaseStorage, ProgressStorage, SizeLimits } from './storage.ts'

/** Where an operator keeps what it must remember of an object. */
export interface Storages {
  readonly progress: ProgressStorage
  readonly diffBase: DiffBaseStorage
}

interface Persistence {
  readonly progressStorage: ProgressStorage
  readonly diffbaseStorage: DiffBaseStorage
  readonly sizeLimits: SizeLimits
}

/** The storages as they are for one operator. */
export function storagesOf(
  { progressStorage, diffbaseStorage, sizeLimits }: Persistence,
  { name, prefix }: { readonly name: string; readonly prefix: string },
): Storages {
  const owner = { name, prefix, sizeLimits }
  return {
    progress: progressStorage.bind?.(owner) ?? progressStorage,
    diffBase: diffbaseStorage.bind?.(owner) ?? diffbaseStorage,
  }
}
