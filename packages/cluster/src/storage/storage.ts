/**
 * All tables under one counter, and the one place where something is committed.
 * Guarantees: watchers and listeners hear of changes in the order of versions, also of a change that a listener itself commits;
 * when commit returns, watchers have been told (unless a listener is being told right now: then before the outer commit returns).
 */
import type { KubeObject } from '../object.ts'
import { Change } from './change.ts'
import type { StoredRecord } from './record.ts'
import { Revision } from './revision.ts'
import { Table } from './table.ts'

/** Where commits are kept beyond this process. Throws when one cannot be kept; then it does not happen. */
export interface CommitLog {
  put(table: string, key: string, object: KubeObject, revision: number): void
  remove(table: string, key: string, revision: number): void
}

/** An object as another run has left it. */
export interface Restored {
  readonly table: string
  readonly key: string
  readonly revision: number
  readonly object: KubeObject
}

export type ChangeListener = (table: Table, change: Change) => void

export class Storage {
  readonly revision = new Revision()
  readonly #historySize: number
  readonly #tables = new Map<string, Table>()
  readonly #listeners: ChangeListener[] = []
  readonly #untold: { readonly table: Table; readonly change: Change }[] = []
  #telling = false
  #log: CommitLog | undefined
  /** Of what happened up to here nothing is known; 0 unless there was another run. */
  #floor = 0

  constructor(historySize: number) {
    this.#historySize = historySize
  }

  /** The table of a kind, made when first asked for; its history begins at the given version. */
  table(id: string, floor = this.#floor): Table {
    let table = this.#tables.get(id)
    if (table === undefined) {
      table = new Table(id, this.#historySize, floor)
      this.#tables.set(id, table)
    }
    return table
  }

  get tables(): Iterable<Table> {
    return this.#tables.values()
  }

  drop(table: Table): void {
    table.watchers.endAll()
    this.#tables.delete(table.id)
  }

  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  put(table: Table, key: string, object: KubeObject): StoredRecord {
    this.#log?.put(table.id, key, object, this.revision.current + 1)
    const change = table.put(key, object, this.revision.next())
    this.#tell(table, change)
    return change.record
  }

  remove(table: Table, key: string): StoredRecord | undefined {
    if (!table.get(key)) return undefined
    this.#log?.remove(table.id, key, this.revision.current + 1)
    const change = table.remove(key, this.revision.next())
    if (change) this.#tell(table, change)
    return change?.record
  }

  /** From now on every commit is kept there first. */
  keepIn(log: CommitLog): void {
    this.#log = log
  }

  /** Goes on where another run has ended: its objects, its versions, and nothing of its history. */
  restore(objects: readonly Restored[], revision: number): void {
    this.revision.resumeAt(revision)
    this.#floor = revision
    for (const { table, key, object, revision: at } of objects) this.table(table).restore(key, object, at)
  }

  /** The version at which another run has ended; 0 when there was none. */
  get restoredAt(): number {
    return this.#floor
  }

  /** Tells the listeners of all objects that are there, as if they had just come; those of the first table before all others. */
  introduce(first: string): void {
    const tables = [...this.#tables.values()].sort((a, b) => Number(b.id === first) - Number(a.id === first))
    for (const table of tables) {
      for (const record of table.list('')) {
        const change = new Change('ADDED', record, undefined)
        for (const listener of this.#listeners) listener(table, change)
      }
    }
  }

  /** All that is there, for whoever keeps it. */
  objects(): readonly Restored[] {
    const all: Restored[] = []
    for (const table of this.#tables.values()) {
      for (const { key, object, revision } of table.list('')) all.push({ table: table.id, key, revision, object })
    }
    return all
  }

  forgetHistory(): void {
    for (const table of this.#tables.values()) table.history.forget(this.revision.current)
  }

  /** Objects and counter are again what they were at this version; what followed is forgotten, and nobody is told. */
  goBack(revision: number): void {
    const states = [...this.#tables.values()].map((table) => ({ table, records: table.listAt(revision, '') }))
    const forgotten = states.find(({ records }) => records === undefined)
    if (forgotten || revision > this.revision.current) {
      throw new RangeError(`Version ${revision} is not known any more, or not yet: there is no going back to it.`)
    }
    for (const { table, records } of states) table.become(records ?? [], revision)
    this.revision.goBack(revision)
  }

  endWatches(): void {
    for (const table of this.#tables.values()) table.watchers.endAll()
  }

  #tell(table: Table, change: Change): void {
    this.#untold.push({ table, change })
    if (this.#telling) return
    this.#telling = true
    try {
      for (let next = this.#untold.shift(); next; next = this.#untold.shift()) {
        next.table.watchers.tell(next.change)
        for (const listener of this.#listeners) listener(next.table, next.change)
      }
    } finally {
      this.#telling = false
    }
  }
}
