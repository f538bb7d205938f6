/**
 * A set of fields of an object, as managers own them: a tree of path elements, some of which are members.
 * Path elements are written as in FieldsV1: f:name, k:{"key":"value"}, v:"value".
 * Guarantees: no operation changes its operands.
 */
import { isObject, type Json, type JsonObject, parseJson } from '../json.ts'

export class FieldSet {
  /** The field at this place itself is a member, not only something below it. */
  readonly member: boolean
  readonly children: ReadonlyMap<string, FieldSet>

  constructor(member: boolean, children: ReadonlyMap<string, FieldSet>) {
    this.member = member
    this.children = children
  }

  static readonly empty = new FieldSet(false, new Map())
  static readonly leaf = new FieldSet(true, new Map())

  get isEmpty(): boolean {
    return !this.member && this.children.size === 0
  }

  /** Whether the field at the end of a path is a member. */
  has(path: readonly string[]): boolean {
    let set: FieldSet | undefined = this
    for (const element of path) set = set?.children.get(element)
    return set?.member ?? false
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty) return other
    if (other.isEmpty) return this
    const children = new Map(this.children)
    for (const [element, set] of other.children) {
      const mine = children.get(element)
      children.set(element, mine ? mine.union(set) : set)
    }
    return new FieldSet(this.member || other.member, children)
  }

  intersection(other: FieldSet): FieldSet {
    const children = new Map<string, FieldSet>()
    for (const [element, set] of this.children) {
      const both = set.intersection(other.children.get(element) ?? FieldSet.empty)
      if (!both.isEmpty) children.set(element, both)
    }
    return new FieldSet(this.member && other.member, children)
  }

  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this
    const children = new Map<string, FieldSet>()
    for (const [element, set] of this.children) {
      const theirs = other.children.get(element)
      const rest = theirs ? set.difference(theirs) : set
      if (!rest.isEmpty) children.set(element, rest)
    }
    return new FieldSet(this.member && !other.member, children)
  }

  /** Without these places and all that is below them. */
  without(places: FieldSet): FieldSet {
    if (places.member) return FieldSet.empty
    const children = new Map<string, FieldSet>()
    for (const [element, set] of this.children) {
      const place = places.children.get(element)
      const rest = place ? set.without(place) : set
      if (!rest.isEmpty) children.set(element, rest)
    }
    return new FieldSet(this.member, children)
  }

  /** Every member as a path, in order. */
  *paths(prefix: readonly string[] = []): Iterable<readonly string[]> {
    if (this.member && prefix.length > 0) yield prefix
    for (const element of [...this.children.keys()].sort()) {
      yield* (this.children.get(element) as FieldSet).paths([...prefix, element])
    }
  }

  toJson(): JsonObject {
    const entries: [string, Json][] = this.member && this.children.size > 0 ? [['.', {}]] : []
    for (const element of [...this.children.keys()].sort()) {
      entries.push([element, (this.children.get(element) as FieldSet).toJson()])
    }
    return Object.fromEntries(entries)
  }

  /** Throws for anything that is not FieldsV1. */
  static fromJson(json: Json | undefined): FieldSet {
    if (!isObject(json)) throw new Error('FieldsV1 must be an object')
    return readSet(json, false)
  }
}

function readSet(json: JsonObject, below: boolean): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const [element, value] of Object.entries(json)) {
    if (element === '.') continue
    if (!/^[fkvi]:/.test(element)) throw new Error(`not a path element: ${element}`)
    if (!isObject(value)) throw new Error(`not a set of fields: ${element}`)
    children.set(element, readSet(value, true))
  }
  return new FieldSet(below && (children.size === 0 || Object.hasOwn(json, '.')), children)
}

/** Gathers members by path. */
export class FieldSetBuilder {
  #member = false
  readonly #children = new Map<string, FieldSetBuilder>()

  at(element: string): FieldSetBuilder {
    let child = this.#children.get(element)
    if (!child) {
      child = new FieldSetBuilder()
      this.#children.set(element, child)
    }
    return child
  }

  insert(): void {
    this.#member = true
  }

  build(): FieldSet {
    const children = new Map<string, FieldSet>()
    for (const [element, builder] of this.#children) {
      const set = builder.build()
      if (!set.isEmpty) children.set(element, set)
    }
    return new FieldSet(this.#member, children)
  }
}

/** The members named by these field names, e.g. ['metadata', 'name']. */
export function fieldsAt(paths: readonly (readonly string[])[]): FieldSet {
  const builder = new FieldSetBuilder()
  for (const path of paths) {
    let place = builder
    for (const name of path) place = place.at(`f:${name}`)
    place.insert()
  }
  return builder.build()
}

/** A path for people: .spec.containers[name="c"].image */
export function printPath(path: readonly string[]): string {
  return path.map(printElement).join('')
}

function printElement(element: string): string {
  const text = element.slice(2)
  if (element.startsWith('f:')) return `.${text}`
  if (element.startsWith('i:')) return `[${text}]`
  if (element.startsWith('v:')) return `[=${text}]`
  const keys = Object.entries(parseJson(text) as JsonObject)
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`
}
