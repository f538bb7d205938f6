/**
 * How built-in kinds look in protobuf: field numbers, names and types, read from the tags of Kubernetes' Go structs.
 * The tags, not the .proto files: only they tell which zero values JSON leaves out, and which structs JSON folds into their parent.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Types with a form of their own on the wire or in JSON, by Go package and name: a letter for each. */
const special = new Map([
  ['k8s.io/apimachinery/pkg/apis/meta/v1.Time', 'T'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime', 'U'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.Duration', 'D'],
  ['k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1', 'R'],
  ['k8s.io/apimachinery/pkg/api/resource.Quantity', 'Q'],
  ['k8s.io/apimachinery/pkg/util/intstr.IntOrString', 'I'],
  ['k8s.io/apimachinery/pkg/runtime.RawExtension', 'R'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON', 'R'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray', 'A'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool', 'B'],
  ['k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray', 'P'],
])
const scalars = new Map([
  ['string', 's'],
  ['bool', 'b'],
  ['float64', 'd'],
  ['float32', 'f'],
  ...['int', 'int32', 'int64', 'uint32', 'uint64', 'byte', 'uint8'].map((name) => /** @type {const} */ ([name, 'i'])),
])

/** 'io.k8s.api.core.v1.Pod' → 'k8s.io/api/core/v1.Pod'. @param {string} schema */
function goName(schema) {
  const path = schema.replace(/^io\.k8s\./, '').split('.')
  const name = path.pop()
  return `k8s.io/${path.join('/')}.${name}`
}

/**
 * @param {string} root of the repository
 * @param {readonly string[]} wanted names of schemas
 * @returns {Record<string, unknown[]>} by schema name: rows of [number, JSON name, type, flags], flags of
 *   "r" repeated, "m" map, "o" left out when empty, "z" also an empty struct is left out, "*" a pointer, "i" folded into its parent
 */
export function readMessages(root, wanted) {
  const source = new GoSource(root)
  /** @type {Record<string, unknown[]>} */ const found = {}
  const queue = [
    ...wanted,
    'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
    'io.k8s.api.autoscaling.v1.Scale',
  ].map(goName)
  const seen = new Set(queue)
  for (const name of queue) {
    const fields = source.struct(name)
    if (!fields) continue
    found[name] = fields.map((field) =>
      row(field, source, (next) => {
        if (seen.has(next)) return
        seen.add(next)
        queue.push(next)
      }),
    )
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** @param {any} field @param {GoSource} source @param {(name: string) => void} visit */
function row(field, source, visit) {
  const type = source.resolve(field.type, field.pack, field.imports)
  const letter = letterOf(type.base)
  if (letter.length > 1) visit(letter.slice(1))
  const flags = `${type.map ? 'm' : type.list ? 'r' : ''}${field.omit ? 'o' : ''}${field.omitZero ? 'z' : ''}${type.pointer ? '*' : ''}${field.inline ? 'i' : ''}`
  return flags === '' ? [field.number, field.json, letter] : [field.number, field.json, letter, flags]
}

/** @param {string} base */
const letterOf = (base) =>
  special.get(base) ?? scalars.get(base) ?? (base === '[]byte' ? 'y' : base === '[]string' ? 'L' : `>${base}`)

class GoSource {
  #dirs
  /** @type {Map<string, Map<string, any>>} */
  #packages = new Map()

  /** @param {string} root */
  constructor(root) {
    const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim()
    const text = readFileSync(join(root, 'conformance/control-plane/k8s/go.mod'), 'utf8')
    const version = /k8s\.io\/api => k8s\.io\/api (\S+)/.exec(text)?.[1]
    if (!version) throw new Error('conformance/control-plane/k8s/go.mod names no version of k8s.io/api')
    this.#dirs = (/** @type {string} */ module) => join(cache, `${module}@${version}`)
  }

  /** @param {string} name package.Type @returns {any[] | undefined} */
  struct(name) {
    const [pack, type] = splitName(name)
    const found = this.#load(pack).get(type)
    return found?.fields
  }

  /** A Go type as its base, and how it is repeated. Named strings, lists and maps are followed to what they stand for.
   * @param {string} text @param {string} pack @param {Map<string, string>} imports @returns {any} */
  resolve(text, pack, imports) {
    if (text === '[]byte') return { base: '[]byte' }
    if (text.startsWith('*')) return { ...this.resolve(text.slice(1), pack, imports), pointer: true }
    if (text.startsWith('[]')) {
      const item = this.resolve(text.slice(2), pack, imports)
      // A list of lists is a message of its own in protobuf: `message ExtraValue { repeated string items = 1; }`.
      return { base: item.list ? '[]string' : item.base, list: true }
    }
    const map = /^map\[[^\]]+\](.+)$/.exec(text)
    if (map) {
      const value = this.resolve(map[1] ?? '', pack, imports)
      return { base: value.list ? '[]string' : value.base, map: true }
    }
    if (scalars.has(text)) return { base: text }
    const dot = text.indexOf('.')
    const full = dot === -1 ? `${pack}.${text}` : `${imports.get(text.slice(0, dot))}.${text.slice(dot + 1)}`
    if (special.has(full)) return { base: full }
    const [owner, name] = splitName(full)
    if (!owner.startsWith('k8s.io/')) throw new Error(`${full}: a type outside of Kubernetes`)
    const known = this.#load(owner).get(name)
    if (!known) throw new Error(`${full} is not declared`)
    return known.fields ? { base: full } : this.resolve(known.alias, owner, known.imports)
  }

  /** @param {string} pack @returns {Map<string, any>} */
  #load(pack) {
    let types = this.#packages.get(pack)
    if (types) return types
    types = new Map()
    this.#packages.set(pack, types)
    const [host, module, ...rest] = pack.split('/')
    const dir = join(this.#dirs(`${host}/${module}`), ...rest)
    for (const file of readdirSync(dir).sort()) {
      if (!file.endsWith('.go') || file.endsWith('_test.go') || file.startsWith('zz_') || file.startsWith('generated'))
        continue
      this.#parse(readFileSync(join(dir, file), 'utf8'), pack, types)
    }
    return types
  }

  /** @param {string} text @param {string} pack @param {Map<string, any>} types */
  #parse(text, pack, types) {
    const imports = importsOf(text)
    const plain = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
    for (const [, name = '', body = ''] of plain.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      types.set(name, { fields: fieldsOf(body, pack, imports), imports })
    }
    for (const [, name = ''] of plain.matchAll(/^type (\w+) struct ?\{\}/gm)) types.set(name, { fields: [], imports })
    for (const [, name = '', alias = ''] of plain.matchAll(
      /^(?:type |\t)(\w+)\s+=?\s*((?:\[\]|map\[[\w.]+\]|\*)*[\w.]+)\s*(?:\/\/.*)?$/gm,
    )) {
      if (!types.has(name) && alias !== 'struct' && alias !== 'interface') types.set(name, { alias, imports })
    }
  }
}

/** @param {string} name @returns {[string, string]} */
function splitName(name) {
  const at = name.lastIndexOf('.')
  return [name.slice(0, at), name.slice(at + 1)]
}

/** @param {string} text @returns {Map<string, string>} */
function importsOf(text) {
  const found = new Map()
  for (const [, alias, path = ''] of text.matchAll(/^\s*(?:import\s+)?(\w+)?\s*"([\w./-]+)"$/gm)) {
    found.set(alias ?? path.split('/').pop(), path)
  }
  return found
}

/** @param {string} body @param {string} pack @param {Map<string, string>} imports @returns {any[]} */
function fieldsOf(body, pack, imports) {
  const fields = []
  for (const line of body.split('\n')) {
    const match = /^\s*(?:(\w+)\s+)?([\w.*[\]]+)\s+`(.*)`/.exec(line)
    if (!match) continue
    const [, , type = '', tags = ''] = match
    const proto = /protobuf:"(\w+),(\d+),/.exec(tags)
    const json = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',')
    if (!proto || json[0] === '-') continue
    fields.push({
      number: Number(proto[2]),
      json: json[0],
      inline: json[0] === '',
      omit: json.includes('omitempty'),
      omitZero: json.includes('omitzero'),
      type,
      pack,
      imports,
    })
  }
  return fields
}
