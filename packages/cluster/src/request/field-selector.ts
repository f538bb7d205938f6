/** Field selectors: `metadata.name=a,status.phase!=Active`. Only the fields that a kind declares may be asked for. */
import { badRequest } from '../http/status.ts'
import type { Json } from '../json.ts'
import type { Kind, KindVersion, SelectableField } from '../kinds/kind.ts'
import { field, type KubeObject } from '../object.ts'

export interface FieldSelector {
  matches(object: KubeObject): boolean
  /** The one name that can match, when the selector pins it. */
  readonly name: string | undefined
}

interface Term {
  readonly label: string
  readonly equal: boolean
  readonly value: string
}

export function parseFieldSelector(text: string, kind: Kind, version: KindVersion): FieldSelector | undefined {
  const terms = split(text).map((term) => parseTerm(term))
  if (terms.length === 0) return undefined
  const checks = terms.map((term) => {
    const found = fieldFor(term.label, kind, version)
    return (object: KubeObject) => (textAt(object, found) === term.value) === term.equal
  })
  return {
    matches: (object) => checks.every((holds) => holds(object)),
    name: terms.find((term) => term.label === 'metadata.name' && term.equal)?.value,
  }
}

/** At commas that are not escaped. */
function split(text: string): string[] {
  return text === '' ? [] : (text.match(/(?:\\.|[^,\\])+/g) ?? [])
}

function parseTerm(term: string): Term {
  const match = /^((?:\\.|[^=!\\])*)(!=|==|=)(.*)$/s.exec(term)
  if (!match) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`)
  const [, label = '', operator, value = ''] = match
  return { label, equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') }
}

const identity: readonly SelectableField[] = [
  { label: 'metadata.name', path: ['metadata', 'name'], absent: '' },
  { label: 'metadata.namespace', path: ['metadata', 'namespace'], absent: '' },
]

function fieldFor(label: string, kind: Kind, version: KindVersion): SelectableField {
  const known = identity.find((f) => f.label === label && (kind.namespaced || label === 'metadata.name'))
  const found = known ?? version.selectable.find((f) => f.label === label)
  if (found) return found
  if (!kind.builtIn || version.selectable.length > 0) throw badRequest(`field label not supported: ${label}`)
  throw badRequest(`"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`)
}

function textAt(object: KubeObject, { path, absent }: SelectableField): string {
  let value: Json | undefined = object
  for (const segment of path) value = field(value, segment)
  return value === undefined || value === null ? absent : String(value)
}
