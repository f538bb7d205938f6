/**
 * The objects of one kind, with their recent past and their watchers.
 * Guarantees: listing is in the order of keys (namespace, then name); listAt(v) is the state at version v exactly, or undefined when
 * that is forgotten; an object that was handed out is never changed.
 * Assumes: Storage alone calls put and remove, with versions that grow.
 */
import { type KubeObject, withMetadata } from '../object.ts'
import { Change } from './change.ts'
import { FanOut } from './fan-out.ts'
import { carryForms, dropForms } from './forms.ts'
import { History } from './history.ts'
import { StoredRecord } from './record.ts'
import { SortedKeys } from './sorted-keys.ts'

/** The key of an object within its kind, ordered as the original's storage orders it. */
export function keyOf(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

/** Records in the order of their keys; an array is one too. */
export interface Records {
  readonly length: number
  at(index: number): StoredRecord | undefined
}

export class Table {
  readonly id: string
  readonly watchers = new FanOut()
  /** Lists and watches are refused until then, in the seconds of the cluster's clock: the kind has just been rebuilt. */
  readyAt = 0
  readonly history: History
  readonly #records = new Map<string, StoredRecord>()
  /** The keys of #records. */
  readonly #keys = new SortedKeys()

  constructor(id: string, historySize: number, floor: number) {
    this.id = id
    this.history = new History(historySize, floor)
  }

  get size(): number {
    return this.#records.size
  }

  get(key: string): StoredRecord | undefined {
    return this.#records.get(key)
  }

  put(key: string, object: KubeObject, revision: number): Change {
    const previous = this.#records.get(key)
    const metadata = { ...object.metadata, resourceVersion: String(revision) }
    const record = new StoredRecord(key, withMetadata(object, metadata), revision)
    if (!carryForms(object, record.object)) carryForms(previous?.object, record.object)
    this.#records.set(key, record)
    if (previous === undefined) this.#keys.add(key)
    return this.#remember(new Change(previous === undefined ? 'ADDED' : 'MODIFIED', record, previous))
  }

  /** An object from another run, with the version that it had; nobody is told, and it is no change. */
  restore(key: string, object: KubeObject, revision: number): StoredRecord {
    const metadata = { ...object.metadata, resourceVersion: String(revision) }
    const record = new StoredRecord(key, withMetadata(object, metadata), revision)
    if (!this.#records.has(key)) this.#keys.add(key)
    this.#records.set(key, record)
    return record
  }

  remove(key: string, revision: number): Change | undefined {
    const previous = this.#records.get(key)
    if (previous === undefined) return undefined
    this.#records.delete(key)
    this.#keys.delete(key)
    return this.#remember(new Change('DELETED', previous.at(revision), previous))
  }

  #remember(change: Change): Change {
    this.history.add(change)
    return change
  }

  /** The present state, of one namespace or of all (''), in the order of keys. Nothing is copied: read it before anything changes. */
  view(namespace: string): Records {
    const [from, to] = this.#range(namespace)
    return { length: to - from, at: (i) => this.#records.get(this.#keys.at(from + i) as string) }
  }

  /** The same as a list of its own. */
  list(namespace: string): StoredRecord[] {
    const records = this.view(namespace)
    const found: StoredRecord[] = []
    for (let i = 0; i < records.length; i++) found.push(records.at(i) as StoredRecord)
    return found
  }

  /** The state as it was: the present with the later changes taken back. */
  listAt(revision: number, namespace: string): StoredRecord[] | undefined {
    const later = this.history.since(revision)
    if (later === undefined) return undefined
    if (later.length === 0) return this.list(namespace)
    const before = new Map<string, StoredRecord | undefined>()
    for (const change of later) {
      if (!before.has(change.record.key)) before.set(change.record.key, change.previous)
    }
    const kept = this.list(namespace).filter((record) => !before.has(record.key))
    for (const record of before.values()) {
      if (record && (namespace === '' || record.namespace === namespace)) kept.push(record)
    }
    return kept.sort((a, b) => (a.key < b.key ? -1 : 1))
  }

  /** The kind has changed: watches end, the past is forgotten, and objects are read anew; their versions stay. */
  rebuild(floor: number, reread: (object: KubeObject) => KubeObject): void {
    this.watchers.endAll()
    this.history.forget(floor)
    for (const [key, record] of this.#records) {
      // A new record also where nothing changed: the old one remembers bytes that the old schema made.
      dropForms(record.object)
      const object = reread(record.object)
      this.#records.set(key, new StoredRecord(key, object, record.revision, record.stale || object !== record.object))
    }
  }

  /** Exactly these records, with no past before this version. */
  become(records: readonly StoredRecord[], floor: number): void {
    this.#records.clear()
    for (const record of records) this.#records.set(record.key, record)
    this.#keys.become(this.#records.keys())
    this.history.forget(floor)
  }

  #range(namespace: string): [number, number] {
    if (namespace === '') return [0, this.#keys.size]
    // '0' follows '/' in ASCII: the first key that is past every key of the namespace.
    return [this.#keys.position(`${namespace}/`), this.#keys.position(`${namespace}0`)]
  }
}
