/**
 * Which fields a kube-apiserver fills in, observed: a sample is created as a dry run, and what it gained is noted by the type
 * that gained it.
 * Guarantees: a noted default was the same in every sample that left the field out. What depends on other fields is not noted.
 */
import { samples } from './samples.mjs'

const prefix = '#/components/schemas/'
/** Allocated, or decided by the object's name or uid. */
const unstable = new Set(['ipFamilies', 'ipFamilyPolicy', 'clusterIP', 'clusterIPs', 'controller-uid', 'volumeName'])

/** @param {import('./observer.mjs').Observer} observer @param {any[]} documents */
export async function observeDefaults(observer, documents) {
  const schemas = Object.assign({}, ...documents.map((document) => document.components.schemas))
  const notes = new Notes(schemas)
  for (const { path, body } of samples) {
    const created = await observer.json(`${path}?dryRun=All`, { method: 'POST', body })
    const [group = '', version = ''] = body.apiVersion.includes('/')
      ? body.apiVersion.split('/')
      : ['', body.apiVersion]
    notes.compare(body, created, rootOf(schemas, group, version, body.kind))
  }
  return notes.settled()
}

/** @param {any} schemas @param {string} group @param {string} version @param {string} kind @returns {string} */
function rootOf(schemas, group, version, kind) {
  const found = Object.entries(schemas).find(([, schema]) =>
    (schema['x-kubernetes-group-version-kind'] ?? []).some(
      (/** @type {any} */ gvk) => gvk.group === group && gvk.version === version && gvk.kind === kind,
    ),
  )
  if (!found) throw new Error(`no schema of ${kind}`)
  return found[0]
}

class Notes {
  #schemas
  /** By type and field: the values seen, as JSON; "" where the field stayed absent. @type {Map<string, Map<string, Set<string>>>} */
  #seen = new Map()

  /** @param {any} schemas */
  constructor(schemas) {
    this.#schemas = schemas
  }

  /** @param {any} sent @param {any} got @param {string} type */
  compare(sent, got, type) {
    for (const [key, property] of Object.entries(this.#schemas[type].properties ?? {})) {
      if (key === 'metadata' || key === 'status' || key === 'apiVersion' || key === 'kind' || unstable.has(key))
        continue
      if (sent[key] === undefined) this.#note(type, key, got[key])
      else this.#descend(sent[key], got[key], property)
    }
  }

  /** @param {any} sent @param {any} got @param {any} schema */
  #descend(sent, got, schema) {
    const ref = schema.$ref ?? schema.allOf?.[0]?.$ref
    if (Array.isArray(sent)) for (const [i, item] of sent.entries()) this.#descend(item, got[i], schema.items)
    else if (ref && typeof sent === 'object') this.compare(sent, got, ref.slice(prefix.length))
    else if (typeof sent === 'object' && schema.additionalProperties) {
      for (const key of Object.keys(sent)) this.#descend(sent[key], got[key], schema.additionalProperties)
    }
  }

  /** @param {string} type @param {string} field @param {unknown} value */
  #note(type, field, value) {
    const fields = this.#seen.get(type) ?? new Map()
    this.#seen.set(type, fields)
    const values = fields.get(field) ?? new Set()
    fields.set(field, values)
    values.add(value === undefined ? '' : JSON.stringify(value))
  }

  settled() {
    const rows = []
    for (const type of [...this.#seen.keys()].sort()) {
      const fields = [...(this.#seen.get(type) ?? [])].filter(([, values]) => values.size === 1 && !values.has(''))
      if (fields.length === 0) continue
      const entries = fields.map(([field, values]) => [field, JSON.parse([...values][0] ?? 'null')])
      rows.push({ type, fields: Object.fromEntries(entries) })
    }
    return rows
  }
}
