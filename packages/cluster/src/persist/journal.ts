/**
 * Every commit on disk before anybody is told of it.
 * Guarantees: a write that was acknowledged, or seen by a watcher, is in the file: it survives the death of the process (kill -9), and
 * with durability 'machine' also that of the machine. A write that fails is taken back whole, and refused. The file stays small: when
 * it has outgrown its content, it is replaced by a snapshot, in one step that either happens or does not.
 * Does not guarantee: with durability 'process', anything about the last moments before a power cut.
 */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { StorageFailure } from '../storage/storage-failure.ts'
import { type Contents, headRecords, putRecord, readContents, removeRecord, type SavedObject } from './data-file.ts'
import { DataFileError, reasonOf } from './data-file-error.ts'
import { FileLock } from './file-lock.ts'
import { encodeLine } from './record-line.ts'

export type Durability = 'process' | 'machine'

export interface JournalOptions {
  readonly file: string
  readonly durability: Durability
  /** Bytes of commits after which a snapshot is worth its while. @default 8 MiB */
  readonly compactAfter?: number
}

/** The present state, for a snapshot. */
export interface SnapshotSource {
  readonly revision: { readonly current: number }
  objects(): readonly SavedObject[]
}

export class Journal {
  readonly #file: string
  readonly #durability: Durability
  readonly #compactAfter: number
  readonly #lock: FileLock
  #descriptor = -1
  #length = 0
  /** Beyond this many bytes the next commit is preceded by a snapshot. */
  #limit = 0
  #broken: string | undefined
  #secrets: JsonObject = {}
  #source: SnapshotSource = { revision: { current: 0 }, objects: () => [] }

  private constructor(options: JournalOptions, lock: FileLock) {
    this.#file = options.file
    this.#durability = options.durability
    this.#compactAfter = options.compactAfter ?? 8 * 1024 * 1024
    this.#lock = lock
  }

  /** Takes the lock and reads what is there; undefined contents: the file is new. */
  static open(options: JournalOptions): { readonly journal: Journal; readonly contents: Contents | undefined } {
    const { file } = options
    const lock = guarded(file, () => FileLock.acquire(file))
    try {
      rmSync(draftOf(file), { force: true })
      const bytes = existsSync(file) ? guarded(file, () => readFileSync(file)) : Buffer.alloc(0)
      const contents = bytes.length === 0 ? undefined : readContents(file, bytes)
      return { journal: new Journal(options, lock), contents }
    } catch (error) {
      lock.release()
      throw error
    }
  }

  /** From now on commits are written. What an unfinished write has left behind goes. */
  begin(source: SnapshotSource, secrets: JsonObject): void {
    this.#source = source
    this.#secrets = secrets
    guarded(this.#file, () => this.#compact())
  }

  put(table: string, key: string, object: KubeObject, revision: number): void {
    this.#append(putRecord({ table, key, revision, object }))
  }

  remove(table: string, key: string, revision: number): void {
    this.#append(removeRecord(table, key, revision))
  }

  #append(record: JsonObject): void {
    if (this.#broken !== undefined) throw this.#failure(this.#broken)
    try {
      if (this.#length > this.#limit) this.#tryCompact()
      this.#write(encodeLine(record))
    } catch (error) {
      this.#takeBack()
      throw this.#failure(reasonOf(error))
    }
  }

  #write(line: Uint8Array): void {
    for (let done = 0; done < line.length; ) {
      // By position: after a write that was taken back, the end of the file is not where the last write ended.
      done += writeSync(this.#descriptor, line, done, line.length - done, this.#length + done)
    }
    if (this.#durability === 'machine') fdatasyncSync(this.#descriptor)
    this.#length += line.length
  }

  /** Half a line must not stay: what follows it would be damage in the middle. */
  #takeBack(): void {
    try {
      ftruncateSync(this.#descriptor, this.#length)
    } catch (error) {
      this.#broken = `an unfinished write cannot be taken back: ${reasonOf(error)}`
    }
  }

  #failure(why: string): StorageFailure {
    return new StorageFailure(`the data file ${this.#file} cannot be written: ${why}`)
  }

  /** A log that is too long is still a good log. */
  #tryCompact(): void {
    try {
      this.#compact()
    } catch {
      this.#limit = this.#length + this.#compactAfter
    }
  }

  /** Writes the present state beside the file and puts it in its place. */
  #compact(): void {
    const draft = draftOf(this.#file)
    const objects = this.#source.objects()
    const head = headRecords(this.#source.revision.current, objects.length, this.#secrets)
    const descriptor = openSync(draft, 'w', 0o600)
    try {
      fchmodSync(descriptor, 0o600)
      const length = writeAll(descriptor, [...head, ...objects.map(putRecord)])
      fsyncSync(descriptor)
      renameSync(draft, this.#file)
      syncFolder(dirname(this.#file))
      this.#adopt(descriptor, length)
    } catch (error) {
      closeSync(descriptor)
      rmSync(draft, { force: true })
      throw error
    }
  }

  #adopt(descriptor: number, length: number): void {
    if (this.#descriptor !== -1) closeSync(this.#descriptor)
    this.#descriptor = descriptor
    this.#length = length
    this.#limit = length * 2 + this.#compactAfter
  }

  close(): void {
    if (this.#descriptor !== -1) {
      fsyncSync(this.#descriptor)
      closeSync(this.#descriptor)
      this.#descriptor = -1
      this.#broken = 'the cluster has been stopped'
    }
    this.#lock.release()
  }
}

const draftOf = (file: string) => `${file}.new`
const batch = 1024 * 1024

function writeAll(descriptor: number, records: readonly JsonObject[]): number {
  let length = 0
  let waiting: Uint8Array[] = []
  let size = 0
  const flush = () => {
    const bytes = Buffer.concat(waiting)
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done)
    length += bytes.length
    waiting = []
    size = 0
  }
  for (const record of records) {
    const line = encodeLine(record)
    waiting.push(line)
    size += line.length
    if (size >= batch) flush()
  }
  flush()
  return length
}

/** The name of a file is kept by its folder. Windows knows no such thing. */
function syncFolder(path: string): void {
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return
  }
  try {
    fsyncSync(descriptor)
  } catch {
    // Some file systems keep their folders by themselves, and refuse.
  } finally {
    closeSync(descriptor)
  }
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof DataFileError || (error as NodeJS.ErrnoException).code === undefined) throw error
    const advice = 'Name a file in a folder that this user may write to.'
    throw new DataFileError(file, `cannot be used: ${reasonOf(error)}`, advice, { cause: error })
  }
}
