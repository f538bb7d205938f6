/**
 * Makes definitions into kinds: accepts names, serves what is established, and cleans up after what is deleted.
 * Guarantees: a definition without conflicts is served when its creation returns. A change of its spec ends the watches of its
 * kind and forgets the kind's history, as the original rebuilds its storage. A deleted one goes after its last object.
 */
import { timestamp } from '../clock.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { customKind, type Names, namesOf } from '../kinds/custom.ts'
import { type Kind, tableId } from '../kinds/kind.ts'
import { field, type KubeObject, withMetadata, withoutKey } from '../object.ts'
import { type Backend, tableOf } from '../request/backend.ts'
import { plainDelete } from '../request/delete-options.ts'
import { cleanupFinalizer } from '../request/kind-rules.ts'
import { trackedBy } from '../request/managed-fields.ts'
import { fillDefaults } from '../schema/defaults.ts'
import { prune } from '../schema/prune.ts'
import type { Change } from '../storage/change.ts'
import type { StoredRecord } from '../storage/record.ts'
import type { Table } from '../storage/table.ts'
import { deleteRecord } from '../verbs/delete.ts'
import type { Work } from './work.ts'

/** How long lists of a kind are refused after its definition has changed. */
const rebuildSeconds = 0.02

export const definitionsTable = 'apiextensions.k8s.io/customresourcedefinitions'

export class Definitions {
  readonly #backend: Backend
  readonly #work: Work

  constructor(backend: Backend, work: Work) {
    this.#backend = backend
    this.#work = work
    backend.storage.onChange((table, change) => this.#see(table, change))
  }

  #see(table: Table, { type, record, previous }: Change): void {
    if (table.id !== definitionsTable) this.#seeObject(table, type)
    else if (type === 'DELETED') this.#drop(record.object)
    else this.#seeDefinition(record, previous)
  }

  #seeDefinition(record: StoredRecord, previous: StoredRecord | undefined): void {
    const { object } = record
    this.#accept(record)
    const specChanged = previous === undefined || !equalJson(previous.object.spec, object.spec)
    const wasServed = isEstablished(previous?.object)
    if (isEstablished(object)) this.#serve(object, specChanged || !wasServed)
    if (wasServed && specChanged) this.#pause(object)
    if (object.metadata.deletionTimestamp) this.#visit(record.key)
  }

  /** An object of a terminating kind has gone: perhaps it was the last. */
  #seeObject(table: Table, type: string): void {
    if (type !== 'DELETED') return
    const [group = '', plural = ''] = table.id.split('/')
    if (this.#backend.kinds.get(group, plural)?.terminating) this.#visit(`${plural}.${group}`)
  }

  #visit(name: string): void {
    this.#work.add(`definition ${name}`, () => this.#cleanUp(name))
  }

  /** The conditions that follow from the names, written once they differ from what is there. */
  #accept({ object, key }: StoredRecord): void {
    const status = isObject(object.status) ? object.status : {}
    const names = namesOf(object)
    const conflict = this.#conflictOf(object, names)
    const known = Array.isArray(status.conditions) ? (status.conditions as readonly JsonObject[]) : []
    const now = timestamp(this.#backend.clock.now())
    const conditions = mergedConditions(known, conflict, isEstablished(object), now)
    const acceptedNames = conflict ? { plural: names.plural, singular: names.singular, kind: '' } : acceptedFrom(names)
    const next = { ...status, conditions, acceptedNames }
    if (equalJson(next as Json, status)) return
    const tracked = this.#tracked({ ...object, status: next }, object, now)
    this.#backend.storage.put(this.#backend.storage.table(definitionsTable), key, tracked)
  }

  /** The status is the server's own. */
  #tracked(next: KubeObject, before: KubeObject, now: string): KubeObject {
    const kind = this.#backend.kinds.get('apiextensions.k8s.io', 'customresourcedefinitions')
    if (!kind) return next
    return trackedBy(next, before, {
      kind,
      version: kind.storage,
      subresource: 'status',
      manager: 'kube-apiserver',
      now,
    })
  }

  #conflictOf(definition: KubeObject, names: Names): Conflict | undefined {
    const group = String(field(definition.spec, 'group') ?? '')
    for (const kind of this.#backend.kinds.all()) {
      if (kind.group !== group || kind.plural === names.plural) continue
      if (kind.listKind === names.listKind) return { reason: 'ListKindConflict', name: names.listKind }
      if (kind.kind === names.kind) return { reason: 'KindConflict', name: names.kind }
      if (kind.singular === names.singular) return { reason: 'SingularConflict', name: names.singular }
      const short = namesList(names.shortNames).find((name) => kind.shortNames.includes(name))
      if (short) return { reason: 'ShortNamesConflict', name: short }
    }
    return undefined
  }

  #serve(definition: KubeObject, rebuild: boolean): void {
    const kind = customKind(definition)
    this.#backend.kinds.set(kind)
    if (!rebuild) return
    const { storage } = this.#backend
    const { schema } = kind.storage
    const table = storage.table(tableId(kind), storage.revision.current)
    table.rebuild(storage.revision.current, (object) => {
      return schema ? (fillDefaults(prune(object, schema), schema) as KubeObject) : object
    })
  }

  /** The original needs a moment to read the objects anew; clients must be able to live with that. */
  #pause(definition: KubeObject): void {
    const { storage, clock } = this.#backend
    storage.table(tableId(customKind(definition))).readyAt = clock.monotonic() + rebuildSeconds
  }

  #drop(definition: KubeObject): void {
    const kind = customKind(definition)
    this.#backend.kinds.delete(kind.group, kind.plural)
    this.#backend.storage.drop(this.#backend.storage.table(tableId(kind)))
    // Its names are free: a definition that wanted them may have them now.
    for (const record of this.#backend.storage.table(definitionsTable).list('')) this.#accept(record)
  }

  /** Deletes the objects of a deleted definition, and then the definition. */
  #cleanUp(name: string): void {
    const table = this.#backend.storage.table(definitionsTable)
    const record = table.get(name)
    if (!record?.object.metadata.finalizers?.includes(cleanupFinalizer)) return
    const kind = customKind(record.object)
    this.#deleteAll(kind)
    if (tableOf(this.#backend, kind).size > 0) this.#markTerminating(record)
    else this.#release(table, record)
  }

  #deleteAll(kind: Kind): void {
    for (const record of tableOf(this.#backend, kind).list('')) {
      if (record.object.metadata.deletionTimestamp === undefined) deleteRecord(this.#backend, kind, record, plainDelete)
    }
  }

  #markTerminating({ object, key }: StoredRecord): void {
    const status = isObject(object.status) ? object.status : {}
    const known = Array.isArray(status.conditions) ? (status.conditions as readonly JsonObject[]) : []
    const pending = known.find((condition) => condition.type === 'Terminating')
    if (pending?.reason === 'InstanceDeletionInProgress') return
    const condition = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: pending?.lastTransitionTime ?? timestamp(this.#backend.clock.now()),
      reason: 'InstanceDeletionInProgress',
      message: 'CustomResource deletion is in progress',
    }
    const others = known.filter((entry) => entry !== pending)
    const next = { ...object, status: { ...status, conditions: [...others, condition] } }
    const tracked = this.#tracked(next, object, timestamp(this.#backend.clock.now()))
    this.#backend.storage.put(this.#backend.storage.table(definitionsTable), key, tracked)
  }

  #release(table: Table, { object, key }: StoredRecord): void {
    const left = (object.metadata.finalizers ?? []).filter((name) => name !== cleanupFinalizer)
    if (left.length === 0) return void this.#backend.storage.remove(table, key)
    const metadata = { ...withoutKey(object.metadata, 'finalizers'), finalizers: left }
    this.#backend.storage.put(table, key, withMetadata(object, metadata))
  }
}

interface Conflict {
  readonly reason: string
  readonly name: string
}

const namesList = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map((v: Json) => String(v)) : [])

function isEstablished(definition: KubeObject | undefined): boolean {
  const conditions = field(definition?.status, 'conditions')
  if (!Array.isArray(conditions)) return false
  return conditions.some((c: Json) => field(c, 'type') === 'Established' && field(c, 'status') === 'True')
}

const acceptedFrom = ({ plural, singular, kind, listKind, shortNames, categories }: Names): JsonObject => ({
  plural,
  singular,
  ...(shortNames === undefined ? {} : { shortNames }),
  kind,
  listKind,
  ...(categories === undefined ? {} : { categories }),
})

/** Once established, a definition stays so, whatever its names do later. */
function mergedConditions(
  known: readonly JsonObject[],
  conflict: Conflict | undefined,
  established: boolean,
  now: string,
): JsonObject[] {
  const names = conflict
    ? {
        type: 'NamesAccepted',
        status: 'False',
        reason: conflict.reason,
        message: `"${conflict.name}" is already in use`,
      }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
  const state =
    established || !conflict
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' }
  const others = known.filter((condition) => condition.type !== 'NamesAccepted' && condition.type !== 'Established')
  return [...[names, state].map((condition) => timed(condition, known, now)), ...others]
}

function timed(condition: JsonObject, known: readonly JsonObject[], now: string): JsonObject {
  const before = known.find((other) => other.type === condition.type && other.status === condition.status)
  const { type, status, ...rest } = condition
  return { type, status, lastTransitionTime: before?.lastTransitionTime ?? now, ...rest }
}
