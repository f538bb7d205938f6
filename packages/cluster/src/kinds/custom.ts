/**
 * Custom kinds from their definitions: what a CustomResourceDefinition means, what it lacks, what is wrong with it.
 * All functions are pure; housekeeping/definitions.ts acts on them.
 */
import { invalidValue, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { checkSchema } from '../schema/check.ts'
import { parseSchema } from '../schema/structural.ts'
import {
  fixedCauses,
  groupCauses,
  nameCauses,
  presentationCauses,
  scopeCauses,
  storedCauses,
  versionCauses,
} from './definition-checks.ts'
import { byPreference } from './discovery-order.ts'
import type { Kind, KindVersion, PrinterColumn, SelectableField, Subresource, Verb } from './kind.ts'
import { selectableCauses } from './selectable-checks.ts'

const customVerbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const subVerbs: readonly Verb[] = ['get', 'patch', 'update']

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const parts = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.map((v: Json) => part(v)) : [])
const strings = (value: Json | undefined): string[] => (Array.isArray(value) ? value.map((v: Json) => text(v)) : [])

export interface Names extends JsonObject {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
}

export function namesOf(definition: KubeObject): Names {
  const names = part(part(definition.spec).names)
  const kind = text(names.kind)
  return {
    ...names,
    plural: text(names.plural),
    singular: text(names.singular) || kind.toLowerCase(),
    kind,
    listKind: text(names.listKind) || `${kind}List`,
  }
}

/** Fills in what an author may leave out. */
export function defaultedDefinition(definition: KubeObject): KubeObject {
  const spec = part(definition.spec)
  const conversion = spec.conversion ?? { strategy: 'None' }
  return { ...definition, spec: { ...spec, names: namesOf(definition), conversion } }
}

/** The kind that a definition describes, with its served versions. */
export function customKind(definition: KubeObject): Kind {
  const spec = part(definition.spec)
  const names = namesOf(definition)
  const raw = parts(spec.versions)
  const versions = new Map(raw.map((version) => [text(version.name), customVersion(version, names.kind)]))
  const storage = versions.get(storageVersion(definition))
  const served = raw.filter((version) => version.served === true).map((version) => text(version.name))
  return {
    group: text(spec.group),
    ...namesAsKind(names),
    namespaced: spec.scope === 'Namespaced',
    builtIn: false,
    verbs: customVerbs,
    versions: served.sort(byPreference).flatMap((name) => versions.get(name) ?? []),
    storage: storage ?? ([...versions.values()][0] as KindVersion),
    counted: true,
    unconditionalUpdate: false,
    createOnUpdate: false,
    answersDeleted: false,
    orphansByDefault: false,
    initialStatus: undefined,
    conversion: converter(part(spec.conversion)),
    terminating: definition.metadata.deletionTimestamp !== undefined,
  }
}

const converter = ({ strategy, webhook }: JsonObject) =>
  strategy === 'Webhook' ? part(part(webhook).clientConfig) : undefined

const namesAsKind = (names: Names) => ({
  kind: names.kind,
  listKind: names.listKind,
  plural: names.plural,
  singular: names.singular,
  shortNames: strings(names.shortNames),
  categories: strings(names.categories),
})

const scaleKind = { kind: 'Scale', group: 'autoscaling', version: 'v1' }

function customVersion(raw: JsonObject, kind: string): KindVersion {
  const { status, scale } = part(raw.subresources)
  const subresources: Subresource[] = []
  if (status !== undefined) subresources.push({ name: 'status', kind, verbs: subVerbs })
  if (scale !== undefined) subresources.push({ name: 'scale', ...scaleKind, verbs: subVerbs })
  return {
    name: text(raw.name),
    subresources,
    scale: isObject(scale) ? scalePaths(scale) : undefined,
    selectable: parts(raw.selectableFields).map(selectableField),
    schema: parseSchema(part(part(raw.schema).openAPIV3Schema)),
    columns: raw.additionalPrinterColumns === undefined ? undefined : parts(raw.additionalPrinterColumns).map(column),
    hash: undefined,
  }
}

const column = (raw: JsonObject): PrinterColumn => ({
  name: text(raw.name),
  type: text(raw.type),
  format: text(raw.format),
  description: text(raw.description),
  priority: typeof raw.priority === 'number' ? raw.priority : 0,
  jsonPath: text(raw.jsonPath),
})

const segments = (path: Json | undefined) => text(path).replace(/^\./, '').split('.')

const scalePaths = (scale: JsonObject) => ({
  spec: segments(scale.specReplicasPath),
  status: segments(scale.statusReplicasPath),
  selector: scale.labelSelectorPath === undefined ? undefined : segments(scale.labelSelectorPath),
})

function selectableField(raw: JsonObject): SelectableField {
  const path = segments(raw.jsonPath)
  return { label: path.join('.'), path, absent: '' }
}

export function storageVersion(definition: KubeObject): string {
  return text(parts(part(definition.spec).versions).find((version) => version.storage === true)?.name)
}

/** What keeps a definition from being accepted. */
export function definitionCauses(definition: KubeObject, old?: KubeObject): readonly Cause[] {
  const spec = part(definition.spec)
  const versions = parts(spec.versions)
  const kept = fixedCauses(definition, old)
  return [
    ...(kept.length > 0 ? [] : nameMismatch(definition, part(spec.names), text(spec.group))),
    ...approvalCauses(definition, text(spec.group)),
    ...groupCauses(text(spec.group)),
    ...scopeCauses(spec.scope),
    ...versionCauses(spec.versions),
    ...nameCauses(part(spec.names)),
    ...schemaCauses(versions),
    ...presentationCauses(versions),
    ...preservationCauses(spec.preserveUnknownFields),
    ...selectableCauses(versions),
    ...conversionCauses(part(spec.conversion)),
    ...(old === undefined ? storedCauses(spec.versions) : []),
    ...kept,
  ]
}

/** Whoever wants a webhook says where it is, and what it understands; the original asks by names of an older version. */
function conversionCauses({ strategy, webhook }: JsonObject): Cause[] {
  if (strategy !== 'Webhook') return []
  const { clientConfig, conversionReviewVersions } = part(webhook)
  const versions = strings(conversionReviewVersions)
  const advice = 'required when strategy is set to Webhook'
  return [
    ...(isObject(clientConfig) ? [] : [required('spec.conversion.webhookClientConfig', advice)]),
    ...(versions.length > 0 ? [] : [required('spec.conversion.conversionReviewVersions')]),
  ]
}

/** A way of the past. */
const preservationCauses = (preserve: Json | undefined): Cause[] =>
  preserve === true ? [invalidValue('spec.preserveUnknownFields', true, preservationAdvice)] : []

const preservationAdvice =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'

function nameMismatch({ metadata }: KubeObject, names: JsonObject, group: string): Cause[] {
  const wrong = metadata.name !== undefined && metadata.name !== `${text(names.plural)}.${group}`
  // A name that is none at all has been told of already.
  if (!wrong || !/^[a-z0-9]/.test(group || 'a') || /[^-a-z0-9.]/.test(metadata.name ?? '')) return []
  return [invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]
}

function approvalCauses(definition: KubeObject, group: string): Cause[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return []
  if (definition.metadata.annotations?.['api-approved.kubernetes.io'] !== undefined) return []
  const why =
    'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111'
  return [required('metadata.annotations[api-approved.kubernetes.io]', why)]
}

/** One schema for all versions is reported as one, under the name that it had when there was only one. */
function schemaCauses(versions: readonly JsonObject[]): Cause[] {
  const schemas = versions.map((version) => part(version.schema).openAPIV3Schema)
  const bare = schemas.flatMap((schema, i) =>
    isObject(schema) ? [] : [required(`spec.versions[${i}].schema.openAPIV3Schema`)],
  )
  if (bare.length > 0) return bare
  const same = schemas.every((schema) => equalJson(schema, schemas[0]))
  if (same && versions.length > 0) return [...checkSchema(schemas[0], 'spec.validation.openAPIV3Schema')]
  return schemas.flatMap((schema, i) => [...checkSchema(schema, `spec.versions[${i}].schema.openAPIV3Schema`)])
}

/** Versions that objects may still be stored in must stay in the definition. */
export function removedStoredVersions(definition: KubeObject, old: KubeObject): readonly Cause[] {
  const kept = new Set(parts(part(definition.spec).versions).map((version) => text(version.name)))
  const stored = strings(part(old.status).storedVersions)
  return stored.flatMap((name, i) =>
    kept.has(name) ? [] : [invalidValue(`status.storedVersions[${i}]`, name, removalAdvice(name))],
  )
}

const removalAdvice = (name: string) =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
