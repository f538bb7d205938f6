/**
 * What a data file says: a header, a snapshot, and the commits since.
 * Guarantees: all of it is read, or nothing is taken. Only the last line may be damaged, and only as a write is that was cut off: without
 * its end, or with holes where a disk had not written yet; it was never acknowledged, and is dropped. Anything else is refused.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { DataFileError } from './data-file-error.ts'
import { type Line, linesOf } from './record-line.ts'

export const formatName = 'binnacle-cluster-data'
export const formatVersion = 1

export interface SavedObject {
  readonly table: string
  readonly key: string
  readonly revision: number
  readonly object: KubeObject
}

export interface Contents {
  readonly revision: number
  readonly objects: readonly SavedObject[]
  readonly secrets: JsonObject | undefined
  /** Bytes that count; what follows is an unfinished write. */
  readonly length: number
  readonly dropped: number
}

/** The first lines: who wrote this, the secrets that go with it, and how many objects the snapshot has at which version. */
export function headRecords(revision: number, count: number, secrets: JsonObject): readonly JsonObject[] {
  return [{ format: formatName, version: formatVersion }, { secrets }, { snapshot: revision, objects: count }]
}

export const putRecord = ({ table, key, revision, object }: SavedObject): JsonObject => ({
  r: revision,
  t: table,
  k: key,
  o: object,
})

export const removeRecord = (table: string, key: string, revision: number): JsonObject => ({
  r: revision,
  t: table,
  k: key,
})

const restore = 'Put back a copy of it, or name another file to begin anew; this one is left as it is.'

export function readContents(file: string, bytes: Buffer): Contents {
  const reader = new Reader(file)
  let length = 0
  for (const line of linesOf(bytes)) {
    if (line.record === undefined) {
      checkTorn(file, bytes, line)
      break
    }
    reader.take(line.record, line)
    length = line.to
  }
  return { ...reader.finish(), length, dropped: bytes.length - length }
}

/** The text of a record has no zero byte: one in a line is a hole. */
function checkTorn(file: string, bytes: Buffer, { from, to, finished }: Line): void {
  const last = to === bytes.length
  if (last && from > 0 && (!finished || bytes.subarray(from, to).includes(0))) return
  if (from === 0) throw new DataFileError(file, 'is not a data file of an embedded cluster', 'Name another file.')
  throw new DataFileError(file, `is damaged: the record at byte ${from} does not match its checksum`, restore)
}

class Reader {
  readonly #file: string
  readonly #objects = new Map<string, SavedObject>()
  #secrets: JsonObject | undefined
  #lines = 0
  #revision: number | undefined
  /** Objects of the snapshot that are still to come. */
  #expected = 0

  constructor(file: string) {
    this.#file = file
  }

  take(record: JsonObject, line: Line): void {
    this.#lines++
    if (this.#lines === 1) this.#header(record)
    else if (this.#lines === 2) this.#secrets = isObject(record.secrets) ? record.secrets : this.#refuse(line)
    else if (this.#lines === 3) this.#snapshot(record, line)
    else this.#commit(record, line)
  }

  #header({ format, version }: JsonObject): void {
    if (format !== formatName) {
      throw new DataFileError(this.#file, 'is not a data file of an embedded cluster', 'Name another file.')
    }
    if (version === formatVersion) return
    const problem = `has format ${String(version)}, and this version of binnacle reads format ${formatVersion}`
    throw new DataFileError(this.#file, problem, 'Use the version that wrote it, or name another file.')
  }

  #snapshot({ snapshot, objects }: JsonObject, line: Line): void {
    if (!isCount(snapshot) || !isCount(objects)) return this.#refuse(line)
    this.#revision = snapshot
    this.#expected = objects
  }

  #commit({ r, t, k, o }: JsonObject, line: Line): void {
    if (!isCount(r) || typeof t !== 'string' || typeof k !== 'string') return this.#refuse(line)
    const id = `${t}\n${k}`
    const ofSnapshot = this.#expected > 0
    // Versions follow each other: a missing line is noticed, also where no checksum tells of it.
    const fits = ofSnapshot ? r <= (this.#revision ?? 0) : r === (this.#revision ?? 0) + 1
    if (!fits || (o === undefined && (ofSnapshot || !this.#objects.has(id)))) return this.#refuse(line)
    if (ofSnapshot) this.#expected--
    else this.#revision = r
    if (o === undefined) this.#objects.delete(id)
    else if (isStored(o)) this.#objects.set(id, { table: t, key: k, revision: r, object: o })
    else this.#refuse(line)
  }

  finish(): { readonly revision: number; readonly objects: SavedObject[]; readonly secrets: JsonObject | undefined } {
    if (this.#revision === undefined || this.#expected > 0) {
      throw new DataFileError(this.#file, 'is damaged: its snapshot is not complete', restore)
    }
    return { revision: this.#revision, objects: [...this.#objects.values()], secrets: this.#secrets }
  }

  #refuse({ from }: Line): never {
    throw new DataFileError(
      this.#file,
      `is damaged: the record at byte ${from} does not follow from those before`,
      restore,
    )
  }
}

const isCount = (value: Json | undefined): value is number => Number.isSafeInteger(value) && (value as number) >= 0

function isStored(value: Json): value is KubeObject {
  return (
    isObject(value) &&
    typeof value.kind === 'string' &&
    typeof value.apiVersion === 'string' &&
    isObject(value.metadata)
  )
}
