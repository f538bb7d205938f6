/**
 * Lets claims and volumes go that nobody uses: the finalizer that protects them is put there when they are created.
 * Guarantees: a deleted claim goes when no pod names it, a deleted volume when it is not bound.
 */
import { isObject, type Json } from '../json.ts'
import { field, type KubeObject, withMetadata, withoutKey } from '../object.ts'
import type { Backend } from '../request/backend.ts'
import type { Change } from '../storage/change.ts'
import type { StoredRecord } from '../storage/record.ts'
import type { Table } from '../storage/table.ts'
import type { Work } from './work.ts'

const claims = '/persistentvolumeclaims'
const finalizers = new Map([
  [claims, 'kubernetes.io/pvc-protection'],
  ['/persistentvolumes', 'kubernetes.io/pv-protection'],
])

export class Protection {
  readonly #backend: Backend
  readonly #work: Work

  constructor(backend: Backend, work: Work) {
    this.#backend = backend
    this.#work = work
    backend.storage.onChange((table, change) => this.#see(table, change))
  }

  #see(table: Table, { type, record }: Change): void {
    if (table.id === '/pods' && type !== 'ADDED') this.#visitClaims(record.namespace)
    const finalizer = finalizers.get(table.id)
    const { deletionTimestamp, finalizers: present = [] } = record.object.metadata
    if (type === 'DELETED' || deletionTimestamp === undefined || finalizer === undefined) return
    if (present.includes(finalizer))
      this.#work.add(`protection ${table.id} ${record.key}`, () => this.#release(table, record.key))
  }

  #visitClaims(namespace: string): void {
    const table = this.#backend.storage.table(claims)
    if (table.size === 0) return
    for (const { key } of table.list(namespace))
      this.#work.add(`protection ${claims} ${key}`, () => this.#release(table, key))
  }

  #release(table: Table, key: string): void {
    const record = table.get(key)
    const finalizer = finalizers.get(table.id) ?? ''
    const { deletionTimestamp, finalizers: present = [] } = record?.object.metadata ?? {}
    if (!record || deletionTimestamp === undefined || !present.includes(finalizer) || this.#isUsed(table, record))
      return
    const left = present.filter((name) => name !== finalizer)
    if (left.length === 0) return void this.#backend.storage.remove(table, key)
    const metadata = { ...withoutKey(record.object.metadata, 'finalizers'), finalizers: left }
    this.#backend.storage.put(table, key, withMetadata(record.object, metadata))
  }

  #isUsed(table: Table, { object, namespace, name }: StoredRecord): boolean {
    if (table.id !== claims) return field(object.status, 'phase') === 'Bound'
    return this.#backend.storage
      .table('/pods')
      .list(namespace)
      .some((pod) => mounts(pod.object, name))
  }
}

function mounts(pod: KubeObject, claim: string): boolean {
  const volumes = field(pod.spec, 'volumes')
  if (!Array.isArray(volumes) || !isObject(pod.spec)) return false
  return volumes.some((volume: Json) => field(field(volume, 'persistentVolumeClaim'), 'claimName') === claim)
}
