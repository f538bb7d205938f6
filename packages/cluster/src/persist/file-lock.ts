/**
 * One process at a time: a lock file beside the data file.
 * Guarantees: while the holder lives, nobody else gets the lock; the lock of a process that is gone (killed, crashed, machine started
 * anew) is taken over, by exactly one of those who try. A process is told from a later one of the same number by its start time,
 * where the system tells that.
 * Assumes: a file system with hard links; processes of one machine. The lock of another machine is respected for ever.
 */
import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isObject, parseJson, printJson } from '../json.ts'
import { DataFileError } from './data-file-error.ts'

interface Holder {
  /** Of this lock, not of the process: no two are alike. */
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly started: string
}

export class FileLock {
  readonly #path: string
  readonly #holder: Holder

  private constructor(path: string, holder: Holder) {
    this.#path = path
    this.#holder = holder
  }

  /** Throws DataFileError when somebody else has it. */
  static acquire(file: string): FileLock {
    const holder = { id: randomUUID(), pid: process.pid, host: hostname(), started: startOf(process.pid) }
    const lock = new FileLock(`${file}.lock`, holder)
    const draft = `${file}.lock.${holder.id}.tmp`
    writeFileSync(draft, printJson(holder), { mode: 0o600, flag: 'wx' })
    try {
      take(file, lock.#path, holder, draft)
    } finally {
      rmSync(draft, { force: true })
    }
    return lock
  }

  release(): void {
    if (holderOf(this.#path)?.id === this.#holder.id) rmSync(this.#path, { force: true })
  }
}

/** A link appears with its content, or not at all. */
function take(file: string, path: string, holder: Holder, draft: string): void {
  if (linked(draft, path)) return
  const present = holderOf(path)
  if (present === undefined && linked(draft, path)) return
  if (present === undefined || isAlive(present)) throw taken(file, path, present)
  // The right to replace this one holder, who is gone: whoever has it is the only one who may touch the lock.
  const right = `${path}.${present.id}`
  take(file, right, holder, draft)
  try {
    if (holderOf(path)?.id !== present.id) throw taken(file, path, holderOf(path))
    const fresh = `${draft}.new`
    linkSync(draft, fresh)
    renameSync(fresh, path)
  } finally {
    rmSync(right, { force: true })
  }
}

function linked(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function holderOf(path: string): Holder | undefined {
  try {
    const value = parseJson(readFileSync(path, 'utf8'))
    if (!isObject(value) || typeof value.id !== 'string' || !/^[\w-]+$/.test(value.id)) return undefined
    return { id: value.id, pid: Number(value.pid), host: String(value.host), started: String(value.started ?? '') }
  } catch {
    return undefined
  }
}

function isAlive({ pid, host, started }: Holder): boolean {
  if (host !== hostname()) return true
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it lives, and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
  return started === startOf(pid)
}

/**
 * When a process began, in ticks since the machine did, and which start of the machine it was; empty where the system does not tell. One that
 * has ended and whose parent has not looked yet still has a number, and counts as gone.
 */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    // The name of the program comes before, in brackets, and may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return /^[ZXx]$/.test(fields[0] ?? '') ? 'ended' : `${boot} ${fields[19] ?? ''}`
  } catch {
    return ''
  }
}

function taken(file: string, path: string, holder: Holder | undefined): DataFileError {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  return new DataFileError(
    file,
    `is in use by ${who}`,
    `Stop that one first, or name another file. If it cannot be running any more, remove ${path}.`,
  )
}
