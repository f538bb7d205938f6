/** Metadata: its normal form, and its rules. */
import { forbiddenField, invalidValue, required, tooLong } from '../http/field-error.ts'
import { badRequest, type Cause } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { Kind } from '../kinds/kind.ts'
import type { Metadata, OwnerReference } from '../object.ts'
import { sentManagedFields } from './managed-fields.ts'

const texts = ['name', 'generateName', 'namespace', 'uid', 'resourceVersion'] as const
const times = ['creationTimestamp', 'deletionTimestamp'] as const

/**
 * Known fields only, empty ones left out, as a typed server would print it.
 * Throws BadRequest for a field of the wrong type.
 */
export function normalMetadata(raw: Json | undefined, kind: Kind, version: string): Metadata {
  const fail = (what: string) =>
    badRequest(
      `${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: json: cannot unmarshal ${what}`,
    )
  const unreadable = (value: string) =>
    badRequest(
      `${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: parsing time "${value}" as "2006-01-02T15:04:05Z07:00": cannot parse "${value}" as "2006"`,
    )
  if (raw === undefined || raw === null) return {}
  if (!isObject(raw)) throw fail(`${goType(raw)} into Go value of type v1.ObjectMeta`)
  const wrong = (field: string, type: string) =>
    fail(`${offending(raw[field])} into Go struct field ObjectMeta.${field} of type ${type}`)
  const found: Record<string, Json> = {}
  for (const field of [...texts, ...times]) {
    const value = raw[field]
    if (value === undefined || value === null || value === '') continue
    if (typeof value !== 'string') throw wrong(field, 'string')
    if (field.endsWith('Timestamp') && Number.isNaN(Date.parse(value))) throw unreadable(value)
    found[field] = value
  }
  for (const field of ['generation', 'deletionGracePeriodSeconds']) {
    const value = raw[field]
    if (value === undefined || value === null || (field === 'generation' && value === 0)) continue
    if (!Number.isInteger(value)) throw wrong(field, 'int64')
    found[field] = value
  }
  for (const field of ['labels', 'annotations']) {
    const map = textMap(raw[field])
    if (map === 'wrong') throw wrong(field, 'string')
    if (map) found[field] = map
  }
  const owners = ownerReferences(raw.ownerReferences)
  if (owners === 'wrong') throw wrong('ownerReferences', 'v1.OwnerReference')
  if (owners.length > 0) found.ownerReferences = owners
  const finalizers = raw.finalizers ?? []
  if (!Array.isArray(finalizers) || finalizers.some((f: Json) => typeof f !== 'string'))
    throw wrong('finalizers', 'string')
  if (finalizers.length > 0) found.finalizers = finalizers
  const managers = sentManagedFields(raw.managedFields)
  if (managers) found.managedFields = managers
  return found as Metadata
}

/** What is not as it should be: the value, or the first of its items that is no text. */
function offending(value: Json | undefined): string {
  const item = isObject(value) ? Object.values(value).find((entry) => typeof entry !== 'string') : undefined
  return goType(item ?? value ?? null)
}

const goType = (value: Json) => (Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value)

function textMap(raw: Json | undefined): JsonObject | undefined | 'wrong' {
  if (raw === undefined || raw === null) return undefined
  if (!isObject(raw)) return 'wrong'
  const entries = Object.entries(raw).map(([key, value]) => [key, value === null ? '' : value] as const)
  if (entries.some(([, value]) => typeof value !== 'string')) return 'wrong'
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function ownerReferences(raw: Json | undefined): OwnerReference[] | 'wrong' {
  if (raw === undefined || raw === null) return []
  if (!Array.isArray(raw) || !raw.every((owner: Json) => isObject(owner))) return 'wrong'
  return (raw as readonly JsonObject[]).map((owner) => ({
    apiVersion: String(owner.apiVersion ?? ''),
    kind: String(owner.kind ?? ''),
    name: String(owner.name ?? ''),
    uid: String(owner.uid ?? ''),
    ...(typeof owner.controller === 'boolean' ? { controller: owner.controller } : {}),
    ...(typeof owner.blockOwnerDeletion === 'boolean' ? { blockOwnerDeletion: owner.blockOwnerDeletion } : {}),
  }))
}

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
export const nameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

/** What is wrong with a name of one word: of a container, a port, a host. */
export const wordCauses = (name: string, at: string): Cause[] => [
  ...(name.length > 63 ? [invalidValue(at, name, 'must be no more than 63 bytes')] : []),
  ...(label.test(name) ? [] : [invalidValue(at, name, labelRule)]),
]

/** What is wrong with the metadata of a new object. `name` is generated already; `generateName` is judged like a name. */
export function metadataCauses(metadata: Metadata, kind: Kind): Cause[] {
  if (metadata.name === undefined) return [required('metadata.name', 'name or generateName is required')]
  const causes: Cause[] = []
  if (metadata.generateName !== undefined) {
    const cut = metadata.generateName.replace(/-$/, 'a')
    causes.push(...nameCauses(cut, 'metadata.generateName', kind, metadata.generateName))
  }
  causes.push(...nameCauses(metadata.name, 'metadata.name', kind, metadata.name))
  causes.push(...contentCauses(metadata, kind))
  return causes
}

function nameCauses(name: string, field: string, kind: Kind, shown: string): Cause[] {
  if (kind.group === 'rbac.authorization.k8s.io') {
    return name === '.' || name === '..' || /[/%]/.test(name) ? [invalidValue(field, shown, `may not contain '/'`)] : []
  }
  const short = kind.group === '' && (kind.plural === 'namespaces' || kind.plural === 'services')
  const [rule, limit, words] = short ? ([label, 63, labelRule] as const) : ([subdomain, 253, subdomainRule] as const)
  const causes =
    name.length > limit
      ? [invalidValue(field, shown, `must be no more than ${limit} ${short ? 'characters' : 'bytes'}`)]
      : []
  if (short && name.includes('.')) return [...causes, invalidValue(field, shown, 'must not contain dots')]
  return rule.test(name) ? causes : [...causes, invalidValue(field, shown, words)]
}

const annotationLimit = 256 * 1024

/** The rules for what may change at any time: labels, annotations, owners, finalizers. */
export function contentCauses(metadata: Metadata, kind: Kind): Cause[] {
  return [
    ...labelCauses(metadata.labels ?? {}),
    ...annotationCauses(metadata.annotations ?? {}),
    ...ownerCauses(metadata.ownerReferences ?? []),
    ...finalizerCauses(metadata.finalizers ?? [], kind),
  ]
}

function keyCauses(key: string, field: string): Cause[] {
  const [name = '', prefix] = key.split('/').reverse()
  if (key === '') return [invalidValue(field, key, 'name part must be non-empty'), invalidValue(field, key, nameRule)]
  const wellFormed = key.split('/').length <= 2 && qualifiedName.test(name) && name.length <= 63
  return wellFormed && (prefix === undefined || subdomain.test(prefix)) ? [] : [invalidValue(field, key, nameRule)]
}

function labelCauses(labels: { readonly [key: string]: string }): Cause[] {
  return Object.entries(labels).flatMap(([key, value]) => {
    const causes = keyCauses(key, 'metadata.labels')
    if (value.length > 63) causes.push(invalidValue('metadata.labels', value, 'must be no more than 63 bytes'))
    if (value !== '' && !qualifiedName.test(value)) {
      const why = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
      causes.push(invalidValue('metadata.labels', value, why))
    }
    return causes
  })
}

function annotationCauses(annotations: { readonly [key: string]: string }): Cause[] {
  const causes = Object.keys(annotations).flatMap((key) => keyCauses(key.toLowerCase(), 'metadata.annotations'))
  let size = 0
  for (const [key, value] of Object.entries(annotations)) size += key.length + value.length
  return size > annotationLimit ? [...causes, tooLong('metadata.annotations', annotationLimit)] : causes
}

function ownerCauses(owners: readonly OwnerReference[]): Cause[] {
  const causes: Cause[] = []
  const field = 'metadata.ownerReferences'
  for (const owner of owners) {
    for (const key of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (owner[key] === '') causes.push(invalidValue(`${field}.${key}`, '', 'must not be empty'))
    }
    if (owner.kind === 'Event' && owner.apiVersion === 'v1') {
      causes.push(invalidValue(field, owner, '/v1, Kind=Event is disallowed from being an owner'))
    }
  }
  const [first, second] = owners.filter((owner) => owner.controller === true)
  if (first && second) {
    const both = `${first.kind}/${first.name} and ${second.kind}/${second.name}`
    const why = `Only one reference can have Controller set to true. Found "true" in references for ${both}`
    causes.push(invalidValue(field, owners, why))
  }
  return causes
}

const standardFinalizers = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

function finalizerCauses(finalizers: readonly string[], kind: Kind): Cause[] {
  return finalizers.flatMap((finalizer, i) => {
    const causes = keyCauses(finalizer, 'metadata.finalizers')
    const loose = !finalizer.includes('/') && !standardFinalizers.has(finalizer)
    if (loose && kind.builtIn) {
      const why = 'name is neither a standard finalizer name nor is it fully qualified'
      causes.push(invalidValue(`metadata.finalizers[${i}]`, finalizer, why))
    }
    return causes
  })
}

/** Finalizers that only a warning tells the author to qualify. */
export function looseFinalizers(metadata: Metadata): readonly string[] {
  return (metadata.finalizers ?? []).filter((name) => !name.includes('/') && !standardFinalizers.has(name))
}

/** What an update may not do to metadata. Each cause comes twice, because the original checks twice and reports both. */
export function metadataUpdateCauses(next: Metadata, old: Metadata): Cause[] {
  const causes: Cause[] = []
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers ?? [])
    const added = (next.finalizers ?? []).filter((finalizer) => !known.has(finalizer))
    if (added.length > 0) {
      const list = `[]string{${added.map((finalizer) => `"${finalizer}"`).join(', ')}}`
      const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`
      causes.push(forbiddenField('metadata.finalizers', why))
    }
  }
  for (const field of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (next[field] !== old[field]) causes.push(invalidValue(`metadata.${field}`, next[field], 'field is immutable'))
  }
  return [...causes, ...causes]
}
