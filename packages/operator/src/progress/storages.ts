import type { DiffBaseStorage, ProgressStorage } from './storage.ts'

/** Where an operator keeps what it must remember of an object. */
export interface Storages {
  readonly progress: ProgressStorage
  readonly diffBase: DiffBaseStorage
}
