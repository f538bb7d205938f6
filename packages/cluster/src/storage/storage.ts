/**
 * All tables under one counter, and the one place where something is committed.
 * Guarantees: watchers and listeners hear of changes in the order of versions, also of a change that a listener itself commits;
 * when commit returns, watchers have been told (unless a listener is being told right now: then before the outer commit returns).
 */
import type { KubeObject } from '../object.ts'
import type { Change } from './change.ts'
import type { StoredRecord } from './record.ts'
import { Revision } from './revision.ts'
import { Table } from './table.ts'

export type ChangeListener = (table: Table, change: Change) => void

export class Storage {
  readonly revision = new Revision()
  readonly #historySize: number
  readonly #tables = new Map<string, Table>()
  readonly #listeners: ChangeListener[] = []
  readonly #untold: { readonly table: Table; readonly change: Change }[] = []
  #telling = false

  constructor(historySize: number) {
    this.#historySize = historySize
  }

  /** The table of a kind, made when first asked for; its history begins at the given version. */
  table(id: string, floor = 0): Table {
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
    const change = table.put(key, object, this.revision.next())
    this.#tell(table, change)
    return change.record
  }

  remove(table: Table, key: string): StoredRecord | undefined {
    const change = table.get(key) && table.remove(key, this.revision.next())
    if (change) this.#tell(table, change)
    return change?.record
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
