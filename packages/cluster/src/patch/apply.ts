/**
 * Who owns which field, and server-side apply. Pure.
 * Guarantees: an update takes the fields that it changes from everybody else; an apply takes only what nobody else owns, or fails
 * with every conflict at once, or takes all of it by force; what a manager applied before, does not apply now and nobody else owns, goes.
 */
import type { Json } from '../json.ts'
import type { Shape } from '../schema/shape.ts'
import { FieldSet, fieldsAt, printPath } from './field-set.ts'
import { type Comparison, checkShape, compare, fieldSetOf, overlay, withDeclared, without } from './typed.ts'

export interface Manager {
  readonly name: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

/** One entry of managedFields. */
export interface Ownership extends Manager {
  readonly time: string | undefined
  readonly fields: FieldSet
}

export interface ApplyConflict {
  readonly manager: Manager
  /** Path elements, as in a FieldSet. */
  readonly elements: readonly string[]
  /** The same for people. */
  readonly path: string
}

export class ApplyConflicts extends Error {
  readonly conflicts: readonly ApplyConflict[]

  constructor(conflicts: readonly ApplyConflict[]) {
    super('Apply failed with conflicts')
    this.name = 'ApplyConflicts'
    this.conflicts = conflicts
  }
}

/** What the server itself keeps: nobody owns it. */
const never = fieldsAt([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'selfLink', 'uid', 'clusterName', 'generation'].map((name) => [
    'metadata',
    name,
  ]),
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
])

export const sameManager = (a: Manager, b: Manager) =>
  a.name === b.name && a.operation === b.operation && a.apiVersion === b.apiVersion && a.subresource === b.subresource

export interface Situation {
  readonly shape: Shape
  /** Places that this endpoint cannot write. */
  readonly reset: FieldSet
  readonly owners: readonly Ownership[]
  readonly manager: Manager
  /** A plain write through here makes nobody an owner. */
  readonly unowned?: boolean
  /** The present, as managedFields print it. */
  readonly now: string
}

function filtered({ added, modified, removed }: Comparison, reset: FieldSet): Comparison {
  const kept = (set: FieldSet) => set.without(reset).difference(never)
  return { added: kept(added), modified: kept(modified), removed: kept(removed) }
}

/** The owners after a plain write from one state to another. */
export function trackUpdate(before: Json | undefined, after: Json, situation: Situation): readonly Ownership[] {
  const { shape, reset, owners, manager, now } = situation
  const { added, modified, removed } = filtered(compare(before, after, shape), reset)
  const taken = added.union(modified)
  const others = owners.map((owner) => ({ ...owner, fields: owner.fields.difference(taken).difference(removed) }))
  // What comes through the scale of a custom kind belongs to nobody afterwards.
  if (taken.isEmpty || situation.unowned) return others.filter((owner) => !owner.fields.isEmpty)
  const mine = others.find((owner) => sameManager(owner, manager))
  // The original writes no time for what comes through a scale.
  const time = manager.subresource === 'scale' ? undefined : now
  const entry = { ...manager, time, fields: mine ? mine.fields.union(taken) : taken }
  const rest = others.filter((owner) => owner !== mine && !owner.fields.isEmpty)
  return capped([...rest, entry])
}

const maxUpdaters = 10

/** Past ten updaters, the oldest of a version are told as one. */
function capped(owners: readonly Ownership[]): readonly Ownership[] {
  const updaters = owners.filter((owner) => owner.operation === 'Update')
  if (updaters.length <= maxUpdaters) return owners
  const oldest = [...updaters].sort((a, b) => (ageKey(a) < ageKey(b) ? -1 : 1))
  const gone = new Set<Ownership>()
  const buckets = new Map<string, Ownership>()
  let count = updaters.length
  for (const owner of oldest) {
    if (count <= maxUpdaters) break
    const bucket = buckets.get(owner.apiVersion)
    gone.add(owner)
    buckets.set(owner.apiVersion, bucket ? { ...owner, fields: bucket.fields.union(owner.fields) } : owner)
    if (bucket) count--
  }
  const merged = [...buckets.values()].map((owner) =>
    gone.has(owner) ? owner : { ...owner, name: 'ancient-changes', subresource: '' },
  )
  return [...owners.filter((owner) => !gone.has(owner)), ...merged]
}

const ageKey = (owner: Ownership) => `${owner.time ?? ''} ${owner.name} ${owner.subresource}`

export interface Applied {
  readonly object: Json
  readonly owners: readonly Ownership[]
}

/** Throws ShapeError for a configuration that does not fit, and ApplyConflicts. */
export function applyConfiguration(live: Json, config: Json, situation: Situation, force: boolean): Applied {
  const { shape, reset, manager, now } = situation
  checkShape(config, shape)
  const before = situation.owners.find((owner) => sameManager(owner, manager))
  const fields = fieldSetOf(config, shape).without(reset).difference(never)
  const entry: Ownership = { ...manager, time: before?.time, fields }
  const others = situation.owners.filter((owner) => owner !== before)
  const merged = overlay(live, config, shape)
  const object = before ? pruned(merged, before.fields, [...others, entry], shape) : merged
  const difference = filtered(compare(live, object, shape), reset)
  const rest = yielded(others, difference, force)
  const changed = !isEmpty(difference) || !isEmpty(compare(live, object, shape))
  const mine = { ...entry, time: changed ? now : entry.time }
  return { object, owners: [...rest, ...(fields.isEmpty ? [] : [mine])] }
}

const isEmpty = ({ added, modified, removed }: Comparison) => added.isEmpty && modified.isEmpty && removed.isEmpty

/** What this manager gave up and nobody holds. */
function pruned(merged: Json, last: FieldSet, owners: readonly Ownership[], shape: Shape): Json {
  const held = owners.reduce((all, { fields }) => all.union(withDeclared(fields, shape)), FieldSet.empty)
  // What identifies the object stays, although nobody owns it.
  return without(merged, withDeclared(last, shape).difference(held).difference(never), shape)
}

function yielded(others: readonly Ownership[], difference: Comparison, force: boolean): readonly Ownership[] {
  const taken = difference.added.union(difference.modified)
  const conflicts = others.flatMap((manager) =>
    [...manager.fields.intersection(taken).paths()].map((elements) => ({
      manager,
      elements,
      path: printPath(elements),
    })),
  )
  if (conflicts.length > 0 && !force) throw new ApplyConflicts(conflicts)
  return others
    .map((owner) => ({ ...owner, fields: owner.fields.difference(taken).difference(difference.removed) }))
    .filter((owner) => !owner.fields.isEmpty)
}

/** The fields of an earlier configuration that still have the values that it gave them. */
export function unchangedSince(earlier: Json, live: Json, shape: Shape): FieldSet {
  return fieldSetOf(earlier, shape).difference(compare(earlier, live, shape).modified)
}
