/** What keeps a definition from being accepted beside its schema: names, versions, columns, scale, and what may not change. Pure. */
import { invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

const label = /^[a-z]([-a-z0-9]*[a-z0-9])?$/
const labelRule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const domainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

function labelCauses(at: string, value: string, shown = value): Cause[] {
  if (value === '') return [required(at)]
  return label.test(value) ? [] : [invalidValue(at, shown, labelRule)]
}

export function groupCauses(group: string): Cause[] {
  if (group === '') return [required('spec.group')]
  if (!domain.test(group)) return [invalidValue('spec.group', group, domainRule)]
  return group.includes('.') ? [] : [invalidValue('spec.group', group, 'should be a domain with at least one dot')]
}

export function scopeCauses(scope: Json | undefined): Cause[] {
  if (scope === 'Namespaced' || scope === 'Cluster') return []
  if (scope === undefined || scope === '') return [required('spec.scope')]
  return [notSupported('spec.scope', scope, ['Cluster', 'Namespaced'])]
}

/** The names as they are after defaults: what was left out follows from the kind. */
export function nameCauses(names: JsonObject): Cause[] {
  const [kind, listKind] = [text(names.kind), text(names.listKind)]
  const mixed = 'may have mixed case, but should otherwise match: '
  const words = (name: string) =>
    list(names[name]).flatMap((word, i) => labelCauses(`spec.names.${name}[${i}]`, text(word)))
  const cased = (at: string, value: string): Cause[] => {
    if (value === '') return [required(at)]
    return label.test(value.toLowerCase()) ? [] : [invalidValue(at, value, `${mixed}${labelRule}`)]
  }
  return [
    ...labelCauses('spec.names.plural', text(names.plural)),
    ...labelCauses('spec.names.singular', text(names.singular)),
    ...cased('spec.names.kind', kind),
    // Without a kind its list has no name either.
    ...(kind === '' ? [required('spec.names.listKind')] : cased('spec.names.listKind', listKind)),
    ...words('shortNames'),
    ...words('categories'),
    ...(kind !== '' && kind === listKind
      ? [invalidValue('spec.names.listKind', listKind, 'kind and listKind may not be the same')]
      : []),
  ]
}

/** The names of versions, and that one of them is stored. */
export function versionCauses(raw: Json | undefined): Cause[] {
  const versions = list(raw)
  const names = versions.map((version) => text(field(version, 'name')))
  const stored = versions.filter((version) => field(version, 'storage') === true)
  const causes = names.flatMap((name, i) => labelCauses(`spec.versions[${i}].name`, name))
  const shown = raw ?? null
  if (new Set(names).size < names.length) {
    causes.push(invalidValue('spec.versions', shown, 'must contain unique version names'))
  }
  if (stored.length !== 1) {
    causes.push(invalidValue('spec.versions', shown, 'must have exactly one version marked as storage version'))
  }
  // The original tells the first name again under the field that it had when there was only one.
  return [...causes, ...(names[0] ? labelCauses('spec.version', names[0]) : [])]
}

/** What is stored must be among the versions, and the one that is written too. */
export function storedCauses(raw: Json | undefined): Cause[] {
  const stored = list(raw).filter((version) => field(version, 'storage') === true)
  const at = 'status.storedVersions'
  if (stored.length === 0) return [invalidValue(at, null, 'must have at least one stored version')]
  if (stored.length === 1) return []
  const names = stored.map((version) => text(field(version, 'name')))
  return [invalidValue(at, [...new Set(names)], `must have the storage version ${names.at(-1)}`)]
}

const simplePath = /^(\.[A-Za-z_][-A-Za-z0-9_]*(\[[^\]]*\])*|\[[^\]]*\])+$/
const pathRule = 'must be a simple json path starting with .'

/** Columns and subresources: one set for all versions is reported as one, under the name that it had when there was only one. */
export function presentationCauses(versions: readonly JsonObject[]): Cause[] {
  const told = (key: string, causes: (value: Json | undefined, at: string) => Cause[]) => {
    const same = versions.every((version) => equalJson(version[key] ?? null, versions[0]?.[key] ?? null))
    const shown = same ? versions.slice(0, 1) : versions
    return shown.flatMap((version, i) => causes(version[key], same ? 'spec' : `spec.versions[${i}]`))
  }
  return [
    ...told('subresources', (value, at) => scaleCauses(part(value).scale, `${at}.subresources.scale`)),
    ...told('additionalPrinterColumns', (value, at) =>
      list(value).flatMap((column, i) => columnCauses(part(column), `${at}.additionalPrinterColumns[${i}]`)),
    ),
  ]
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string']

function columnCauses({ name, type, jsonPath }: JsonObject, at: string): Cause[] {
  const causes: Cause[] = text(name) === '' ? [required(`${at}.name`)] : []
  if (text(type) === '') causes.push(required(`${at}.type`))
  else if (!columnTypes.includes(text(type)))
    causes.push(invalidValue(`${at}.type`, type, `must be one of ${columnTypes.join(',')}`))
  if (text(jsonPath) === '') causes.push(required(`${at}.JSONPath`))
  else if (!text(jsonPath).startsWith('.')) causes.push(invalidValue(`${at}.JSONPath`, jsonPath, pathRule))
  return causes
}

function scaleCauses(scale: Json | undefined, at: string): Cause[] {
  if (!isObject(scale)) return []
  const path = (name: string, root: string, needed: boolean): Cause[] => {
    const value = text(scale[name])
    if (value === '') return needed ? [required(`${at}.${name}`)] : []
    if (!simplePath.test(value)) return [invalidValue(`${at}.${name}`, value, pathRule)]
    return value.startsWith(`.${root}.`)
      ? []
      : [invalidValue(`${at}.${name}`, value, `should be a json path under .${root}`)]
  }
  const selector = text(scale.labelSelectorPath)
  const under = selector.startsWith('.spec.') ? 'spec' : 'status'
  return [
    ...path('specReplicasPath', 'spec', true),
    ...path('statusReplicasPath', 'status', true),
    ...path('labelSelectorPath', under, false),
  ]
}

const fixed = [['scope'], ['names', 'kind']] as const

/** Once established, a kind stays in its scope and keeps its name; its group and plural are its own name. */
export function fixedCauses(definition: KubeObject, old: KubeObject | undefined): Cause[] {
  if (old === undefined) return []
  const at = (object: KubeObject, path: readonly string[]) =>
    path.reduce<Json | undefined>((value, key) => field(value, key), object.spec)
  return [...fixed, ['group'] as const, ['names', 'plural'] as const]
    .filter((path) => !equalJson(at(definition, path) ?? null, at(old, path) ?? null))
    .map((path) => invalidValue(`spec.${path.join('.')}`, at(definition, path), 'field is immutable'))
}
