import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A directory for one test: end it with `using`. */
export class Scratch implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'cluster-data-'))

  file(name = 'data'): string {
    return join(this.path, name)
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
