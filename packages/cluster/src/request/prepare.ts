/**
 * What the server makes of an object before it is stored: its own fields, the kind's rules, the schema.
 * Guarantees: nothing of the input is changed; what comes out is in the storage version and valid, or a Status was thrown.
 */
import { checkEscalation } from '../access/escalation.ts'
import { badRequest, bareFailure, type Cause, invalid } from '../http/status.ts'
import { equalJson, type JsonObject, textOf } from '../json.ts'
import { looseIntegers } from '../json-text.ts'
import { withTypeDefaults } from '../kinds/defaults.ts'
import { isRenewedEvent } from '../kinds/event-forms.ts'
import { hasStatus, type Kind, type KindVersion } from '../kinds/kind.ts'
import { type KubeObject, type Metadata, type OwnerReference, withMetadata, withoutKey } from '../object.ts'
import { fillDefaults } from '../schema/defaults.ts'
import { prune } from '../schema/prune.ts'
import { judged } from '../schema/validate.ts'
import type { Operation } from './backend.ts'
import { reportUnknown } from './field-validation.ts'
import { rulesOf } from './kind-rules.ts'
import { tracked } from './managed-fields.ts'
import { contentCauses, looseFinalizers, metadataCauses, metadataUpdateCauses } from './metadata.ts'
import { scaleCauses } from './scale-path.ts'
import { storedForm } from './typed-decode.ts'

/** The namespace of the URL wins; a body that names another one is refused. */
export function inNamespace(object: KubeObject, operation: Operation): KubeObject {
  const { namespace, ...metadata } = object.metadata
  if (!operation.kind.namespaced) return withMetadata(object, metadata)
  if (namespace !== undefined && namespace !== operation.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  return withMetadata(object, { ...object.metadata, namespace: operation.namespace })
}

/** A new object as it was sent: complete, with its owners. An applied one brings them along. */
export function receivedNew(object: KubeObject, operation: Operation, applied = false): KubeObject {
  const { resourceVersion } = object.metadata
  if (resourceVersion !== undefined && resourceVersion !== '0') {
    throw bareFailure('resourceVersion should not be set on objects to be created')
  }
  const sent = filled(deduplicated(object, operation), operation)
  return applied ? sent : tracked(sent, undefined, operation)
}

/** A new object, received, admitted, named and stamped: what will be stored, in the operation's version. */
export function finishNew(object: KubeObject, operation: Operation): KubeObject {
  const { kind, version } = operation
  let next = withInitialStatus(object, kind, version)
  next = withMetadata(next, withoutKey(next.metadata, 'resourceVersion'))
  if (kind.counted) next = withMetadata(next, { ...next.metadata, generation: 1 })
  next = rulesOf(kind).prepareNew?.(next) ?? next
  if (kind.builtIn) next = storedForm(next)
  guard(operation, next, undefined)
  refuse(operation, next, [
    ...metadataCauses(next.metadata, kind),
    ...(rulesOf(kind).causes?.(next, undefined) ?? []),
    ...schemaCauses(next, operation, undefined),
  ])
  warn(next, operation)
  return next
}

/** The wanted state of an object as it was sent; `shown` is the present one in the operation's version. */
export function receivedUpdate(sent: KubeObject, shown: KubeObject, operation: Operation, applied = false): KubeObject {
  const wanted = filled(deduplicated(sent, operation), operation)
  return applied ? wanted : tracked(wanted, shown, operation)
}

/** What a webhook has made of an object: complete again, and with nothing that the schema does not know. */
export function rereadObject(object: KubeObject, operation: Operation): KubeObject {
  return filled(object, operation)
}

/** The next state of an object, received and admitted: what will be stored, in the operation's version. */
export function finishUpdate(owned: KubeObject, shown: KubeObject, operation: Operation): KubeObject {
  const { kind, version } = operation
  const old = shown
  let next = merged(owned, shown, operation)
  next = withMetadata(next, carried(next.metadata, old.metadata, owned.metadata.managedFields))
  next = rulesOf(kind).prepareUpdate?.(next, shown) ?? next
  if (kind.builtIn) next = storedForm(next)
  if (kind.counted && contentDiffers(next, shown, version)) {
    next = withMetadata(next, { ...next.metadata, generation: (old.metadata.generation ?? 0) + 1 })
  }
  guard(operation, next, shown)
  refuse(operation, next, [
    ...metadataUpdateCauses(next.metadata, old.metadata),
    ...contentCauses(next.metadata, kind),
    ...(rulesOf(kind).causes?.(next, shown) ?? []),
    ...schemaCauses(next, operation, shown),
  ])
  warn(next, operation)
  return next
}

/** Nobody may give away by a role or a binding what he does not have himself. */
function guard(
  { backend, user, kind, namespace, name }: Operation,
  next: KubeObject,
  old: KubeObject | undefined,
): void {
  checkEscalation({ authorizer: backend.access.authorizer, user, kind, namespace, name, next, old })
}

/** Which parts come from the client: all but status, or status alone. */
function merged(sent: KubeObject, old: KubeObject, operation: Operation): KubeObject {
  const status = (object: KubeObject): JsonObject => (object.status === undefined ? {} : { status: object.status })
  switch (operation.subresource?.name) {
    case undefined: {
      const carried = rulesOf(operation.kind).carry?.(sent, old) ?? sent
      return hasStatus(operation.version) ? { ...withoutKey(carried, 'status'), ...status(old) } : carried
    }
    case 'status':
    case 'approval':
      return { ...withoutKey(old, 'status'), ...status(sent) }
    case 'finalize':
      return { ...old, spec: { ...(old.spec as JsonObject), finalizers: (sent.spec as JsonObject)?.finalizers ?? [] } }
    case 'ephemeralcontainers':
    case 'resize':
      return { ...old, ...(sent.spec === undefined ? {} : { spec: sent.spec }) }
    default:
      return sent
  }
}

/** Fields that an update cannot change, or only the server can. */
function carried(metadata: Metadata, old: Metadata, managers: Metadata['managedFields']): Metadata {
  const { generation: _, deletionTimestamp, managedFields: __, ...rest } = metadata
  const stamp = old.deletionTimestamp ?? deletionTimestamp
  const grace = metadata.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds
  return {
    ...rest,
    uid: metadata.uid ?? (old.uid as string),
    creationTimestamp: old.creationTimestamp as string,
    ...(old.generation === undefined ? {} : { generation: old.generation }),
    ...(stamp === undefined ? {} : { deletionTimestamp: stamp }),
    ...(grace === undefined ? {} : { deletionGracePeriodSeconds: grace }),
    ...(managers === undefined ? {} : { managedFields: managers }),
  }
}

function withInitialStatus(object: KubeObject, kind: Kind, version: KindVersion): KubeObject {
  if (!hasStatus(version)) return object
  const rest = withoutKey(object, 'status')
  return kind.initialStatus === undefined ? rest : { ...rest, status: kind.initialStatus }
}

/** By the schema of the version that the client speaks: unknown fields go, defaults come. */
function filled(object: KubeObject, operation: Operation): KubeObject {
  const { kind, version } = operation
  const { schema } = version
  if (!schema) {
    const complete = withTypeDefaults(object, kind, version)
    return rulesOf(kind).fill?.(complete) ?? complete
  }
  const dropped: string[] = []
  const pruned = prune(object, schema, dropped)
  // What the schema drops is told in the order of its names.
  reportUnknown(operation, [...operation.call.unknown.splice(0), ...dropped.sort()], object)
  return fillDefaults(pruned, schema) as KubeObject
}

function schemaCauses(next: KubeObject, operation: Operation, old: KubeObject | undefined): readonly Cause[] {
  const { version, call } = operation
  if (!version.schema) return []
  const scale = scaleCauses(next, version, writtenLoosely(operation))
  return judged(next, version.schema, old, call.warnings, scale)
}

/** What a body of JSON tells of its numbers beyond their value. */
function writtenLoosely({ verb, version, call }: Operation): ReadonlySet<string> {
  const json = /json/.test(call.headers.get('content-type') ?? 'json')
  return version.scale && json && (verb === 'create' || verb === 'update')
    ? looseIntegers(textOf(call.body))
    : new Set()
}

function contentDiffers(next: KubeObject, old: KubeObject, version: KindVersion): boolean {
  const content = ({ metadata: _, ...object }: KubeObject) =>
    hasStatus(version) ? withoutKey(object, 'status') : object
  return !equalJson(content(next), content(old))
}

function deduplicated(object: KubeObject, { call }: Operation): KubeObject {
  const owners = object.metadata.ownerReferences
  if (owners === undefined || owners.length < 2) return object
  const kept = owners.filter((owner, i) => owners.findIndex((other) => equalJson(other, owner)) === i)
  if (kept.length === owners.length) return object
  call.warnings.push(duplicateOwners(owners, kept))
  return withMetadata(object, { ...object.metadata, ownerReferences: kept })
}

function duplicateOwners(owners: readonly OwnerReference[], kept: readonly OwnerReference[]): string {
  const twice = kept.filter((owner) => owners.filter((other) => equalJson(other, owner)).length > 1)
  const uids = twice.map((owner) => owner.uid).join(', ')
  return `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
}

function warn(object: KubeObject, { kind, call }: Operation): void {
  call.warnings.push(...(rulesOf(kind).warnings?.(object) ?? []))
  if (kind.builtIn) return
  for (const name of looseFinalizers(object.metadata)) {
    call.warnings.push(
      `metadata.finalizers: "${name}": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    )
  }
}

function refuse({ kind }: Operation, object: KubeObject, causes: readonly Cause[]): void {
  // The original knows no group for what both APIs of Events store.
  const named = isRenewedEvent(kind) ? { group: '', kind: kind.kind } : kind
  if (causes.length > 0) throw invalid(named, object.metadata.name ?? '', causes)
}
