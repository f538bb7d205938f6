import type { DiffBaseStorage } from './last-handled.ts'
import type { ProgressStorage } from './store.ts'

/** Where an operator keeps what it must remember of an object. */
export interface Storages {
  readonly progress: ProgressStorage
  readonly diffBase: DiffBaseStorage
}
