/**
 * Deletes what nobody owns any more, as the controller of the same name does.
 * Guarantees: a dependent goes when every owner that it names is gone; foreground deletion waits for the dependents that block it;
 * orphaning takes the reference away first; a reference to an owner that is gone is taken away while another one lives. An owner of the same name with another uid, or in another namespace, counts as gone.
 * Does not guarantee: anything about references to kinds that nobody serves; such a dependent stays.
 */
import type { Kind } from '../kinds/kind.ts'
import { tableId } from '../kinds/kind.ts'
import { type KubeObject, type OwnerReference, withMetadata, withoutKey } from '../object.ts'
import { type Backend, tableOf } from '../request/backend.ts'
import { plainDelete } from '../request/delete-options.ts'
import type { Change } from '../storage/change.ts'
import type { StoredRecord } from '../storage/record.ts'
import type { Table } from '../storage/table.ts'
import { deleteRecord } from '../verbs/delete.ts'
import { tellWrongNamespace } from './owner-event.ts'
import type { Work } from './work.ts'

interface Place {
  readonly table: string
  readonly key: string
  readonly namespace: string
}

export class GarbageCollector {
  readonly #backend: Backend
  readonly #work: Work
  /** Every object by uid. */
  readonly #objects = new Map<string, Place>()
  /** Who names whom: owner's uid → uids of its dependents. */
  readonly #dependents = new Map<string, Set<string>>()

  constructor(backend: Backend, work: Work) {
    this.#backend = backend
    this.#work = work
    backend.storage.onChange((table, change) => this.#see(table, change))
  }

  #see(table: Table, { type, record, previous }: Change): void {
    const uid = record.object.metadata.uid
    if (uid === undefined) return
    this.#link(uid, ownersOf(previous?.object), type === 'DELETED' ? [] : ownersOf(record.object))
    if (type === 'DELETED') {
      this.#objects.delete(uid)
      this.#visitDependents(uid)
      for (const owner of ownersOf(record.object)) this.#visit(owner.uid)
      return
    }
    this.#objects.set(uid, { table: table.id, key: record.key, namespace: record.namespace })
    const { ownerReferences, deletionTimestamp } = record.object.metadata
    if (ownerReferences || deletionTimestamp) this.#visit(uid)
    if (deletionTimestamp) for (const owner of ownerReferences ?? []) this.#visit(owner.uid)
  }

  #link(uid: string, before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    for (const owner of before) this.#dependents.get(owner.uid)?.delete(uid)
    for (const owner of after) {
      const set = this.#dependents.get(owner.uid) ?? new Set()
      this.#dependents.set(owner.uid, set.add(uid))
    }
    for (const owner of before) if (this.#dependents.get(owner.uid)?.size === 0) this.#dependents.delete(owner.uid)
  }

  #visit(uid: string): void {
    this.#work.add(`gc ${uid}`, () => this.#process(uid))
  }

  #visitDependents(uid: string): void {
    for (const dependent of this.#dependents.get(uid) ?? []) this.#visit(dependent)
  }

  #process(uid: string): void {
    const found = this.#find(uid)
    if (!found) return
    const { kind, record } = found
    const { finalizers = [], deletionTimestamp } = record.object.metadata
    if (deletionTimestamp === undefined) this.#collect(kind, record)
    else if (finalizers.includes('orphan')) this.#orphan(kind, record, uid)
    else if (finalizers.includes('foregroundDeletion')) this.#foreground(kind, record, uid)
  }

  #find(uid: string): { readonly kind: Kind; readonly record: StoredRecord } | undefined {
    const place = this.#objects.get(uid)
    if (!place) return undefined
    const [group = '', plural = ''] = place.table.split('/')
    const kind = this.#backend.kinds.get(group, plural)
    const record = kind && tableOf(this.#backend, kind).get(place.key)
    return kind && record && record.object.metadata.uid === uid ? { kind, record } : undefined
  }

  /** A dependent that lives: goes when all its owners are gone, or when those that are left wait for it to go. */
  #collect(kind: Kind, record: StoredRecord): void {
    const owners = record.object.metadata.ownerReferences ?? []
    if (owners.length === 0) return
    const states = owners.map((owner) => this.#stateOf(owner, record))
    if (states.includes('unknown')) return
    if (states.includes('alive')) {
      const useless = owners.filter((_, i) => states[i] !== 'alive').map((owner) => owner.uid)
      if (useless.length > 0) this.#forget(kind, record, useless)
      return
    }
    const waiting = states.includes('waiting')
    const policy = waiting && this.#blocksAny(record) ? 'Foreground' : 'Background'
    deleteRecord(this.#backend, kind, record, { ...plainDelete, propagation: keptPolicy(record.object) ?? policy })
  }

  #blocksAny(record: StoredRecord): boolean {
    return (this.#dependents.get(record.object.metadata.uid ?? '')?.size ?? 0) > 0
  }

  #stateOf(owner: OwnerReference, dependent: StoredRecord): 'alive' | 'waiting' | 'gone' | 'unknown' {
    const served = this.#backend.kinds.byKind(owner.apiVersion, owner.kind)
    if (!served) return 'unknown'
    if (served.kind.namespaced && dependent.namespace === '') return 'unknown'
    const place = this.#objects.get(owner.uid)
    const expected = served.kind.namespaced ? dependent.namespace : ''
    if (place && place.table === tableId(served.kind) && place.namespace !== expected) {
      tellWrongNamespace(this.#backend, dependent.object, owner)
    }
    if (!place || place.table !== tableId(served.kind) || place.namespace !== expected) return 'gone'
    const { metadata } = this.#find(owner.uid)?.record.object ?? {}
    if (metadata === undefined || metadata.name !== owner.name) return 'gone'
    return metadata.deletionTimestamp && metadata.finalizers?.includes('foregroundDeletion') ? 'waiting' : 'alive'
  }

  /** The owner goes at last: first its dependents forget it. */
  #orphan(kind: Kind, record: StoredRecord, uid: string): void {
    for (const dependent of [...(this.#dependents.get(uid) ?? [])]) {
      const found = this.#find(dependent)
      if (found) this.#forget(found.kind, found.record, [uid])
    }
    this.#release(kind, record, 'orphan')
  }

  #forget(kind: Kind, record: StoredRecord, uids: readonly string[]): void {
    const owners = ownersOf(record.object).filter((owner) => !uids.includes(owner.uid))
    const rest = withoutKey(record.object.metadata, 'ownerReferences')
    const metadata = owners.length === 0 ? rest : { ...rest, ownerReferences: owners }
    this.#backend.storage.put(tableOf(this.#backend, kind), record.key, withMetadata(record.object, metadata))
  }

  /** The owner waits: its dependents go first, and those that block hold it. */
  #foreground(kind: Kind, record: StoredRecord, uid: string): void {
    const dependents = [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#find(dependent) ?? [])
    for (const found of dependents) {
      if (found.record.object.metadata.deletionTimestamp === undefined) this.#collect(found.kind, found.record)
    }
    const blocks = (object: KubeObject) => ownersOf(object).some((o) => o.uid === uid && o.blockOwnerDeletion === true)
    const left = dependents.some(
      ({ record: { object } }) => blocks(object) && this.#objects.has(object.metadata.uid ?? ''),
    )
    if (!left) this.#release(kind, record, 'foregroundDeletion')
  }

  /** Takes our finalizer away; the object goes with it when it was the last. */
  #release(kind: Kind, record: StoredRecord, finalizer: string): void {
    const table = tableOf(this.#backend, kind)
    const present = table.get(record.key)
    if (!present || present.object.metadata.uid !== record.object.metadata.uid) return
    const left = (present.object.metadata.finalizers ?? []).filter((name) => name !== finalizer)
    if (left.length === 0) return void this.#backend.storage.remove(table, record.key)
    const metadata = { ...present.object.metadata, finalizers: left }
    this.#backend.storage.put(table, record.key, withMetadata(present.object, metadata))
  }
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata.ownerReferences ?? []

/** A dependent that was told how to treat its own dependents is treated so. */
function keptPolicy(object: KubeObject): 'Orphan' | 'Foreground' | undefined {
  const finalizers = object.metadata.finalizers ?? []
  if (finalizers.includes('orphan')) return 'Orphan'
  return finalizers.includes('foregroundDeletion') ? 'Foreground' : undefined
}
