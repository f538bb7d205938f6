/**
 * Empties namespaces that are being deleted, and lets them go.
 * Guarantees: a namespace goes when its last object is gone, and not before; what holds it is told in its conditions.
 */
import { timestamp } from '../clock.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import type { Kind } from '../kinds/kind.ts'
import type { KubeObject } from '../object.ts'
import { field, withoutKey } from '../object.ts'
import { type Backend, tableOf } from '../request/backend.ts'
import { plainDelete } from '../request/delete-options.ts'
import type { Change } from '../storage/change.ts'
import type { StoredRecord } from '../storage/record.ts'
import type { Table } from '../storage/table.ts'
import { deleteRecord } from '../verbs/delete.ts'
import type { Work } from './work.ts'

const tableName = '/namespaces'

interface Remaining {
  readonly kind: Kind
  readonly records: readonly StoredRecord[]
}

export class Namespaces {
  readonly #backend: Backend
  readonly #work: Work

  constructor(backend: Backend, work: Work) {
    this.#backend = backend
    this.#work = work
    backend.storage.onChange((table, change) => this.#see(table, change))
  }

  #see(table: Table, { type, record }: Change): void {
    if (table.id === tableName) {
      if (type !== 'DELETED' && record.object.metadata.deletionTimestamp) this.#visit(record.name)
    } else if (type === 'DELETED' && record.namespace !== '' && this.#terminating(record.namespace)) {
      this.#visit(record.namespace)
    }
  }

  #visit(name: string): void {
    this.#work.add(`namespace ${name}`, () => this.#process(name))
  }

  #terminating(name: string): StoredRecord | undefined {
    const record = this.#backend.storage.table(tableName).get(name)
    return record?.object.metadata.deletionTimestamp ? record : undefined
  }

  #process(name: string): void {
    const record = this.#terminating(name)
    if (!record || !holdsKubernetes(record.object)) return
    this.#empty(name)
    const remaining = this.#remaining(name)
    this.#tell(record, remaining)
    if (remaining.length === 0) this.#release(name)
  }

  #empty(name: string): void {
    for (const { kind, records } of this.#remaining(name)) {
      // Without a kubelet nobody would end a pod's grace.
      const options = { ...plainDelete, propagation: 'Background', graceSeconds: 0 } as const
      for (const record of records) {
        if (record.object.metadata.deletionTimestamp === undefined) deleteRecord(this.#backend, kind, record, options)
      }
    }
  }

  #remaining(name: string): Remaining[] {
    const found: Remaining[] = []
    for (const kind of this.#backend.kinds.all()) {
      const records = kind.namespaced ? tableOf(this.#backend, kind).list(name) : []
      if (records.length > 0) found.push({ kind, records })
    }
    return found
  }

  #tell({ object, key }: StoredRecord, remaining: readonly Remaining[]): void {
    const status: JsonObject = isObject(object.status) ? object.status : {}
    const known = Array.isArray(status.conditions) ? (status.conditions as readonly JsonObject[]) : []
    const now = timestamp(this.#backend.clock.now())
    const conditions = conditionsFor(remaining).map((condition) => kept(condition, known, now))
    if (equalJson(conditions as Json, known as Json)) return
    this.#backend.storage.put(this.#backend.storage.table(tableName), key, {
      ...object,
      status: { ...status, conditions },
    })
  }

  #release(name: string): void {
    const table = this.#backend.storage.table(tableName)
    const object = table.get(name)?.object
    if (!object) return
    const spec = isObject(object.spec) ? object.spec : {}
    const left = Array.isArray(spec.finalizers) ? spec.finalizers.filter((f: Json) => f !== 'kubernetes') : []
    const held = left.length > 0 || (object.metadata.finalizers?.length ?? 0) > 0
    if (!held) return void this.#backend.storage.remove(table, name)
    const next = left.length === 0 ? withoutKey(spec, 'finalizers') : { ...spec, finalizers: left }
    this.#backend.storage.put(table, name, { ...object, spec: next })
  }
}

function holdsKubernetes(object: KubeObject): boolean {
  const finalizers = field(object.spec, 'finalizers')
  return Array.isArray(finalizers) && finalizers.includes('kubernetes')
}

/** A condition that says the same as before keeps its time. */
function kept(condition: JsonObject, known: readonly JsonObject[], now: string): JsonObject {
  const before = known.find((other) => other.type === condition.type && other.status === condition.status)
  const { type, status, ...rest } = condition
  return { type, status, lastTransitionTime: before?.lastTransitionTime ?? now, ...rest }
}

function conditionsFor(remaining: readonly Remaining[]): JsonObject[] {
  const finalizers = new Map<string, number>()
  for (const { records } of remaining) {
    for (const name of records.flatMap((record) => record.object.metadata.finalizers ?? [])) {
      finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
    }
  }
  const resources = remaining.map(
    ({ kind, records }) => `${kind.plural}.${kind.group} has ${records.length} resource instances`,
  )
  const holders = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`)
  const condition = (type: string, on: boolean, reason: string, message: string): JsonObject => ({
    type,
    status: on ? 'True' : 'False',
    reason,
    message,
  })
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      false,
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ),
    condition(
      'NamespaceDeletionContentFailure',
      false,
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ),
    resources.length > 0
      ? condition(
          'NamespaceContentRemaining',
          true,
          'SomeResourcesRemain',
          `Some resources are remaining: ${resources.join(', ')}`,
        )
      : condition('NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed'),
    holders.length > 0
      ? condition(
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${holders.join(', ')}`,
        )
      : condition(
          'NamespaceFinalizersRemaining',
          false,
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ),
  ]
}
