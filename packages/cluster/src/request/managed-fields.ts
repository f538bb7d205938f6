/**
 * managedFields: between what is stored and sent, and patch/apply.ts.
 * Guarantees: a write that moves no field from one manager to another keeps every entry and its time.
 */
import { timestamp } from '../clock.ts'
import { badRequest, StatusError } from '../http/status.ts'
import { isObject, type Json, type JsonObject, parseJson, printJson } from '../json.ts'
import { groupVersion, hasStatus, type Kind, type KindVersion } from '../kinds/kind.ts'
import { messageNamed, messageOfKind } from '../kinds/messages.ts'
import { shapeOfKind } from '../kinds/shapes.ts'
import { type KubeObject, type Metadata, withMetadata, withoutKey } from '../object.ts'
import {
  type Applied,
  type ApplyConflict,
  ApplyConflicts,
  applyConfiguration,
  type Manager,
  type Ownership,
  type Situation,
  trackUpdate,
  unchangedSince,
} from '../patch/apply.ts'
import { FieldSet, fieldsAt } from '../patch/field-set.ts'
import { ShapeError, sortedKeys } from '../patch/typed.ts'
import type { Operation } from './backend.ts'
import { typedObject } from './typed-decode.ts'

/** Who writes, and through which endpoint. */
export interface Writer {
  readonly kind: Kind
  readonly version: KindVersion
  /** Empty for the object itself. */
  readonly subresource: string
  readonly manager: string
  /** The present, as managedFields print it. */
  readonly now: string
}

const writerOf = (operation: Operation): Writer => ({
  kind: operation.kind,
  version: operation.version,
  subresource: operation.subresource?.name ?? '',
  manager: managerName(operation),
  now: timestamp(operation.backend.clock.now()),
})

/** The object with the owners that a plain write leaves. `before` is undefined for a new object. */
export function tracked(next: KubeObject, before: KubeObject | undefined, operation: Operation): KubeObject {
  return trackedBy(next, before, writerOf(operation))
}

/** The same for a write that no request asks for. */
export function trackedBy(next: KubeObject, before: KubeObject | undefined, operation: Writer): KubeObject {
  const owners = before ? ownersOf(next, before, operation) : readOwners(next.metadata.managedFields ?? [])
  const after = withMetadata(next, withoutKey(next.metadata, 'managedFields'))
  // An object whose owners were forgotten is not tracked again until somebody applies.
  if (before && owners.length === 0) return after
  const old = before && withMetadata(before, withoutKey(before.metadata, 'managedFields'))
  try {
    const found = trackUpdate(old ?? nothing(after, operation), after, situation(operation, owners, 'Update'))
    return withOwners(after, found)
  } catch (error) {
    // Items without their keys cannot be told apart: such an object keeps the owners that it had.
    if (error instanceof ShapeError) return withOwners(after, owners)
    throw error
  }
}

/** What there was before an object: of a built-in kind its zero value, whose parts were always there. */
function nothing({ apiVersion }: KubeObject, { kind, version }: Writer): KubeObject {
  const bare = { kind: kind.kind, apiVersion, metadata: {} }
  const message = kind.builtIn ? messageOfKind(kind.group, version.name, kind.kind) : undefined
  return message === undefined ? bare : (typedObject(bare, messageNamed(message), [], '', untyped) as KubeObject)
}

const untyped = new Set(['apiVersion', 'kind', 'metadata'])

/** What a client sends wins, so that it can repair or reset owners; a client that does not know them loses nothing. */
function ownersOf(next: KubeObject, before: KubeObject, { subresource, kind }: Writer): readonly Ownership[] {
  const sent = subresource ? undefined : next.metadata.managedFields
  if (sent !== undefined && isReset(sent, kind.builtIn)) return []
  const given = sent === undefined ? [] : readOwners(sent)
  return given.length > 0 ? given : readOwners(before.metadata.managedFields ?? [])
}

/** An empty list counts for built-in kinds only: of a custom object the original cannot tell it from none. */
const isReset = (sent: readonly JsonObject[], builtIn: boolean) =>
  (builtIn && sent.length === 0) || (sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0)

/** An entry that cannot be read makes all of them count as absent. */
export function readOwners(entries: readonly JsonObject[]): readonly Ownership[] {
  try {
    return entries.map(readOwner)
  } catch {
    return []
  }
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

function readOwner(entry: JsonObject): Ownership {
  if (entry.operation !== 'Apply' && entry.operation !== 'Update') throw new Error('unknown operation')
  return {
    name: text(entry.manager),
    operation: entry.operation,
    apiVersion: text(entry.apiVersion),
    subresource: text(entry.subresource),
    time: typeof entry.time === 'string' ? entry.time : undefined,
    fields: FieldSet.fromJson(entry.fieldsV1 ?? {}),
  }
}

function withOwners(object: KubeObject, owners: readonly Ownership[]): KubeObject {
  if (owners.length === 0) return withMetadata(object, withoutKey(object.metadata, 'managedFields'))
  const entries = [...owners].sort(byOrder).map(printOwner)
  return withMetadata(object, { ...object.metadata, managedFields: entries } as Metadata)
}

const orderKeys = (owner: Ownership) => [
  owner.operation,
  owner.time ?? '',
  owner.name,
  owner.apiVersion,
  owner.subresource,
]

function byOrder(a: Ownership, b: Ownership): number {
  const [left, right] = [orderKeys(a), orderKeys(b)]
  const at = left.findIndex((key, i) => key !== right[i])
  return at === -1 ? 0 : (left[at] as string) < (right[at] as string) ? -1 : 1
}

const printOwner = (owner: Ownership): JsonObject => ({
  ...(owner.name === '' ? {} : { manager: owner.name }),
  operation: owner.operation,
  apiVersion: owner.apiVersion,
  ...(owner.time === undefined ? {} : { time: owner.time }),
  fieldsType: 'FieldsV1',
  fieldsV1: owner.fields.toJson(),
  ...(owner.subresource === '' ? {} : { subresource: owner.subresource }),
})

function situation(writer: Writer, owners: readonly Ownership[], how: Manager['operation']): Situation {
  const { kind, version, subresource, manager, now } = writer
  const apiVersion = groupVersion(kind.group, version.name)
  return {
    shape: shapeOfKind(kind, version),
    reset: resetFields(writer),
    owners,
    manager: { name: manager, operation: how, apiVersion, subresource },
    unowned: subresource === 'scale' && !kind.builtIn,
    now,
  }
}

const builtInStatus = fieldsAt([['spec'], ['metadata', 'labels']])
const status = fieldsAt([['status']])
const customStatus = fieldsAt([['spec'], ['metadata']])

/** What an endpoint does not take from a client, a client does not own by it. */
function resetFields({ kind, version, subresource }: Writer): FieldSet {
  if (subresource === '') return hasStatus(version) ? status : FieldSet.empty
  if (subresource !== 'status') return status
  return kind.builtIn ? builtInStatus : customStatus
}

/** The name that the client gives itself, or else the program's name from its User-Agent. */
function managerName({ call }: Operation): string {
  const given = call.query.get('fieldManager')
  if (given) return given
  const program = (call.headers.get('user-agent') ?? '').split('/')[0] ?? ''
  const printable = [...program].filter((c) => !/\p{C}/u.test(c)).join('')
  return printable.slice(0, 128) || 'unknown'
}

/** The live object with a configuration applied to it. Throws Conflict, or what the original says to a wrong configuration. */
export function appliedObject(live: KubeObject, config: JsonObject, operation: Operation, force: boolean): KubeObject {
  const bare = withMetadata(live, withoutKey(live.metadata, 'managedFields'))
  try {
    const writer = writerOf(operation)
    const owners = liveOwners(live, bare, writer)
    const here = situation(writer, owners, 'Apply')
    const { object, owners: next } = applyUpgrading(bare, config, here, force)
    return withLastApplied(withOwners(object as KubeObject, next), live, config, writer.manager)
  } catch (error) {
    if (error instanceof ApplyConflicts) throw conflictStatus(error.conflicts)
    if (error instanceof ShapeError) throw mistyped(error, config, operation)
    throw error
  }
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

/** kubectl takes over from itself: what it applied from the client side and nobody changed since is no conflict. */
function applyUpgrading(live: KubeObject, config: JsonObject, here: Situation, force: boolean): Applied {
  try {
    return applyConfiguration(live, config, here, force)
  } catch (error) {
    const earlier = live.metadata.annotations?.[lastApplied]
    if (!(error instanceof ApplyConflicts) || here.manager.name !== 'kubectl' || earlier === undefined) throw error
    const mine = unchangedSince(earlierConfiguration(earlier), live, here.shape)
    const conflicts = error.conflicts.filter(({ elements }) => !mine.has(elements))
    if (conflicts.length > 0) throw new ApplyConflicts(conflicts)
    return applyConfiguration(live, config, here, true)
  }
}

function earlierConfiguration(annotation: string): JsonObject {
  try {
    const value = parseJson(annotation)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** An object that kubectl once applied from the client side stays fit for that. */
function withLastApplied(next: KubeObject, live: KubeObject, config: JsonObject, manager: string): KubeObject {
  if (manager !== 'kubectl' || live.metadata.annotations?.[lastApplied] === undefined) return next
  const metadata = isObject(config.metadata) ? config.metadata : {}
  const { [lastApplied]: _, ...annotations } = isObject(metadata.annotations) ? metadata.annotations : {}
  const own = withoutKey(metadata, 'annotations')
  const kept = Object.keys(annotations).length === 0 ? own : { ...own, annotations }
  const value = `${printJson(sortedKeys({ ...config, metadata: kept }))}\n`
  return withMetadata(next, { ...next.metadata, annotations: { ...next.metadata.annotations, [lastApplied]: value } })
}

/** An object that nobody has applied to and nobody tracks belongs to whoever was there before. */
function liveOwners(live: KubeObject, bare: KubeObject, writer: Writer): readonly Ownership[] {
  const known = readOwners(live.metadata.managedFields ?? [])
  if (known.length > 0 || live.metadata.uid === undefined) return known
  const here = situation({ ...writer, manager: 'before-first-apply' }, [], 'Update')
  return trackUpdate(nothing(bare, writer), bare, here)
}

function mistyped(error: Error, config: JsonObject, { kind, version }: Operation): StatusError {
  const metadata = isObject(config.metadata) ? config.metadata : {}
  const what = `(${text(metadata.namespace)}/${text(metadata.name)}; ${kind.group}/${version.name}, Kind=${kind.kind})`
  return new StatusError(500, undefined, `failed to create typed patch object ${what}: ${error.message}`)
}

function printManager({ name, subresource, operation, apiVersion }: Manager): string {
  const called = `${JSON.stringify(name)}${subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`}`
  return operation === 'Update' ? `${called} using ${apiVersion}` : called
}

function conflictStatus(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(manager)}`,
    field: path,
  }))
  const count = `${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}`
  return new StatusError(409, 'Conflict', `Apply failed with ${count}: ${conflictText(conflicts)}`, { causes })
}

function conflictText(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts
  if (first && conflicts.length === 1) return `conflict with ${printManager(first.manager)}: ${first.path}`
  const byManager = new Map<string, string[]>()
  for (const { manager, path } of conflicts) {
    const who = printManager(manager)
    byManager.set(who, [...(byManager.get(who) ?? []), path])
  }
  const parts = [...byManager.keys()].sort().map((who) => {
    const paths = byManager.get(who) ?? []
    return `conflicts with ${who}:${paths.map((path) => `\n- ${path}`).join('')}`
  })
  return parts.join('\n')
}

/** managedFields as a client may send them: a list of entries, whatever they hold. */
export function sentManagedFields(raw: Json | undefined): readonly JsonObject[] | undefined {
  if (raw === undefined || raw === null) return undefined
  if (!Array.isArray(raw) || !raw.every((entry: Json) => isObject(entry))) {
    throw badRequest('metadata.managedFields: each entry must be an object')
  }
  return raw as readonly JsonObject[]
}
