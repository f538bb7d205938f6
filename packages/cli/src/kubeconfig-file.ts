import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BinnacleError } from '@binnacle/core'
import { usageError } from './command-line.ts'
import type { Io } from './io.ts'
import { reasonOf } from './manifests.ts'
import { TempDirectory } from './temp-directory.ts'

/** Tells our files from those that hold somebody's real credentials. */
const OURS = '# Written by binnacle for its embedded cluster; overwritten without asking.\n'

/**
 * The file that points kubectl at an embedded cluster.
 * Guarantees: it appears whole or not at all, readable by this user only; a kubeconfig that is not ours is never overwritten; one in a
 * temporary place is gone after disposal, and one that was asked for by name stays.
 */
export class KubeconfigFile implements Disposable {
  readonly path: string
  readonly #place: TempDirectory | undefined

  /** Refuses at once what could not be written later, before a cluster has been started for it. */
  constructor(io: Io, file?: string) {
    this.#place = file === undefined ? new TempDirectory(io) : undefined
    this.path = this.#place ? join(this.#place.path, 'kubeconfig') : resolve(io.cwd, file ?? '')
    if (!this.#place) check(this.path)
  }

  write(yaml: string): void {
    const draft = `${this.path}.${randomUUID()}.tmp`
    try {
      writeFileSync(draft, OURS + yaml, { mode: 0o600, flag: 'wx' })
      renameSync(draft, this.path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw notWritable(this.path, error)
    }
  }

  [Symbol.dispose](): void {
    this.#place?.[Symbol.dispose]()
  }
}

function check(path: string): void {
  if (!existsSync(dirname(path))) {
    throw usageError(`${path} cannot be written: there is no folder ${dirname(path)}`, 'Make it, or name another file.')
  }
  if (!existsSync(path)) return
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw notWritable(path, error)
  }
  if (text.trim() === '' || text.startsWith(OURS)) return
  throw usageError(
    `${path} exists and was not written by binnacle, so it is left alone`,
    'Name another file with --kubeconfig, or remove this one.',
  )
}

function notWritable(path: string, error: unknown): BinnacleError {
  return new BinnacleError('BIN_KUBECONFIG', {
    message: `The kubeconfig ${path} cannot be written: ${reasonOf(error)}`,
    hint: 'Name a file in a folder that you may write to with --kubeconfig.',
    cause: error,
  })
}

/** The line that points kubectl at it, ready for a POSIX shell. */
export function exportLine(path: string): string {
  return `export KUBECONFIG=${/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`}`
}
