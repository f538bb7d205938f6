/** OpenAPI documents, taken apart: the structure that requests need, and the descriptions that only people need. */

/**
 * @param {any[]} documents
 * @returns {{ structure: Record<string, any>, descriptions: Record<string, any>, roots: Record<string, string> }}
 *   roots: the schema of each kind, by "group/version/Kind"
 */
export function splitSchemas(documents) {
  /** @type {Record<string, any>} */ const structure = {}
  /** @type {Record<string, any>} */ const descriptions = {}
  /** @type {Record<string, string>} */ const roots = {}
  const all = new Map(documents.flatMap((document) => Object.entries(document.components.schemas)))
  for (const name of [...all.keys()].sort()) {
    const { 'x-kubernetes-group-version-kind': kinds = [], description, ...schema } = all.get(name)
    structure[name] = reduced(schema)
    descriptions[name] = described(schema, description)
    // DeleteOptions and WatchEvent name every group: they are not kinds of one.
    if (kinds.length > 0) structure[name]['x-kubernetes-group-version-kind'] = kinds
    if (kinds.length === 1) roots[`${kinds[0].group}/${kinds[0].version}/${kinds[0].kind}`] = name
  }
  return { structure, descriptions, roots }
}

const prefix = '#/components/schemas/'

/** Without descriptions, and with references by bare name. @param {any} schema @returns {any} */
function reduced(schema) {
  if (Array.isArray(schema)) return schema.map((item) => reduced(item))
  if (typeof schema !== 'object' || schema === null) return schema
  const { description: _, allOf, $ref, properties, ...rest } = schema
  const ref = $ref ?? allOf?.[0]?.$ref
  return {
    ...(ref ? { $ref: ref.slice(prefix.length) } : {}),
    ...Object.fromEntries(
      Object.entries(rest).map(([key, value]) => [key, key === 'default' ? value : reduced(value)]),
    ),
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, reduced(value)])) }
      : {}),
  }
}

/** Its own description first, then one for each property that has one. @param {any} schema @param {string} description */
function described(schema, description = '') {
  const fields = Object.entries(schema.properties ?? {}).filter(([, value]) => value.description)
  return [description, Object.fromEntries(fields.map(([key, value]) => [key, value.description]))]
}
