import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Io } from './io.ts'

/**
 * A directory that only this user can read, for as long as it is needed.
 * Guarantees: it is gone after disposal, and also when the process ends without it (a second signal, a crash).
 */
export class TempDirectory implements Disposable {
  /** Without symbolic links, so that addresses in source maps resolve. */
  readonly path: string
  readonly #keepNoMore: () => void

  constructor(io: Io) {
    this.path = realpathSync(mkdtempSync(join(io.temp, 'binnacle-')))
    this.#keepNoMore = io.atExit(() => this.#remove())
  }

  #remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }

  [Symbol.dispose](): void {
    this.#keepNoMore()
    this.#remove()
  }
}
