/**
 * Objects read by their shape: which fields they have, how two of them differ, what becomes of both together.
 * Guarantees: inputs are not changed. Shapes decide what is one field: an atomic list or map, an item of a list by its keys.
 */
import { equalJson, isObject, type Json, type JsonObject, own, printJson } from '../json.ts'
import { anyShape, fieldShape, type Shape } from '../schema/shape.ts'
import { FieldSet, FieldSetBuilder, printPath } from './field-set.ts'

/** An object that does not fit its shape: an undeclared field, or list items that cannot be told apart. */
export class ShapeError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ShapeError'
  }
}

type Form = 'object' | 'list' | 'leaf'

/** How a value is walked. Values decide where the shape is open, or where they do not fit it. */
function formOf(value: Json | undefined, shape: Shape): Form {
  const form: Form = isObject(value) ? 'object' : Array.isArray(value) ? 'list' : 'leaf'
  if (shape.type === 'leaf' || form === 'leaf') return 'leaf'
  if (form === 'object') return shape.atomic ? 'leaf' : 'object'
  return shape.type === 'list' && shape.listType !== 'atomic' ? 'list' : 'leaf'
}

const itemShape = (shape: Shape) => (shape.type === 'list' ? shape.items : anyShape)

/** What tells an item of a list from the others. */
export function elementOf(item: Json, shape: Shape): string {
  if (shape.listType === 'set') return `v:${printJson(sortedKeys(item))}`
  if (!isObject(item)) throw new ShapeError('associative list with keys has an element that is not an object')
  const found: [string, Json][] = []
  for (const key of [...shape.listKeys].sort()) {
    const value = own(item, key) ?? shape.items.declared(key)?.default
    if (value !== undefined) found.push([key, value])
  }
  if (found.length === 0) {
    const keys = shape.listKeys.map((key) => `"${key}"`).join(' ')
    throw new ShapeError(
      `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
    )
  }
  return `k:${printJson(Object.fromEntries(found))}`
}

/** The same with the keys of all objects in order. */
export function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sortedKeys(item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key] as Json)]),
  )
}

/** Throws ShapeError for what a configuration must not contain. */
export function checkShape(value: Json, shape: Shape, path = ''): void {
  if (value === null) return
  const form = formOf(value, shape)
  if (form === 'list' && Array.isArray(value)) checkList(value, shape, path)
  else if (isObject(value) && shape.type === 'object') {
    for (const key of Object.keys(value)) {
      const child = fieldShape(shape, key)
      if (child === undefined) throw new ShapeError(`${path}.${key}: field not declared in schema`)
      checkShape(value[key] as Json, child, `${path}.${key}`)
    }
  } else if (shape.type === 'list' && Array.isArray(value)) {
    for (const [i, item] of value.entries()) checkShape(item, shape.items, `${path}[${i}]`)
  } else checkForm(value, shape, path)
}

function checkForm(value: Json, shape: Shape, path: string): void {
  if (shape.type === 'object') throw new ShapeError(`${path}: expected map, got ${printJson(value)}`)
  if (shape.type === 'list') throw new ShapeError(`${path}: expected list, got ${printJson(value)}`)
  if (shape.type === 'leaf' && typeof value === 'object') {
    throw new ShapeError(`${path}: expected a scalar, got ${printJson(value)}`)
  }
  const found = typeof value === 'bigint' ? 'number' : typeof value
  if (shape.scalar !== undefined && found !== shape.scalar) {
    throw new ShapeError(`${path}: expected ${shape.scalar}, got ${printJson(value)}`)
  }
}

function checkList(list: readonly Json[], shape: Shape, path: string): void {
  const seen = new Set<string>()
  for (const [i, item] of list.entries()) {
    let element: string
    try {
      element = elementOf(item, shape)
    } catch (error) {
      throw new ShapeError(`${path}: element ${i}: ${(error as Error).message}`)
    }
    if (seen.has(element)) throw new ShapeError(`${path}: duplicate entries for key ${printPath([element])}`)
    seen.add(element)
    checkShape(item, shape.items, `${path}${printPath([element])}`)
  }
}

/** The fields that a configuration names. */
export function fieldSetOf(value: Json, shape: Shape): FieldSet {
  const builder = new FieldSetBuilder()
  gather(value, shape, builder)
  return builder.build()
}

function gather(value: Json, shape: Shape, into: FieldSetBuilder): void {
  switch (formOf(value, shape)) {
    case 'leaf':
      into.insert()
      return
    case 'list':
      for (const item of value as readonly Json[]) {
        const place = into.at(elementOf(item, shape))
        gather(item, shape.items, place)
        place.insert()
      }
      return
    case 'object':
      gatherObject(value as JsonObject, shape, into)
  }
}

function gatherObject(object: JsonObject, shape: Shape, into: FieldSetBuilder): void {
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    const place = into.at(`f:${key}`)
    const child = fieldShape(shape, key) ?? anyShape
    gather(value, child, place)
    if (isEmptyObject(value) || shape.declared(key) === undefined) place.insert()
  }
}

const isEmptyObject = (value: Json) => isObject(value) && Object.keys(value).length === 0

export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** Where two objects differ. Items of lists are compared by their keys, whatever their order. */
export function compare(before: Json | undefined, after: Json | undefined, shape: Shape): Comparison {
  const walk = { added: new FieldSetBuilder(), modified: new FieldSetBuilder(), removed: new FieldSetBuilder() }
  differ(before, after, shape, walk)
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() }
}

interface Walk {
  readonly added: FieldSetBuilder
  readonly modified: FieldSetBuilder
  readonly removed: FieldSetBuilder
}

const below = (walk: Walk, element: string): Walk => ({
  added: walk.added.at(element),
  modified: walk.modified.at(element),
  removed: walk.removed.at(element),
})

function differ(before: Json | undefined, after: Json | undefined, shape: Shape, walk: Walk): void {
  if (before === undefined && after === undefined) return
  const [was, is] = [formOf(before, shape), formOf(after, shape)]
  const form = before === undefined || before === null ? is : after === undefined || after === null ? was : is
  const mixed = before !== undefined && after !== undefined && before !== null && after !== null && was !== is
  if (form === 'leaf' || mixed || bothEmpty(before, after)) {
    if (before === undefined) walk.added.insert()
    else if (after === undefined) walk.removed.insert()
    else if (!equalJson(before, after)) walk.modified.insert()
    return
  }
  if (form === 'list') differLists(listOf(before), listOf(after), shape, walk)
  else differObjects(isObject(before) ? before : {}, isObject(after) ? after : {}, shape, walk)
  if (before === undefined) walk.added.insert()
  else if (after === undefined) walk.removed.insert()
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const isBlank = (value: Json | undefined) =>
  value === undefined || value === null || (Array.isArray(value) ? value.length === 0 : isEmptyObject(value))
const bothEmpty = (a: Json | undefined, b: Json | undefined) => isBlank(a) && isBlank(b)

function differObjects(before: JsonObject, after: JsonObject, shape: Shape, walk: Walk): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    differ(own(before, key), own(after, key), fieldShape(shape, key) ?? anyShape, below(walk, `f:${key}`))
  }
}

function differLists(before: readonly Json[], after: readonly Json[], shape: Shape, walk: Walk): void {
  const [old, next] = [grouped(before, shape), grouped(after, shape)]
  for (const element of new Set([...old.keys(), ...next.keys()])) {
    const [was = [], is = []] = [old.get(element), next.get(element)]
    const place = below(walk, element)
    if (was.length <= 1 && is.length <= 1) differ(was[0], is[0], shape.items, place)
    else if (was.length === 0) place.added.insert()
    else if (is.length === 0) place.removed.insert()
    else if (!equalJson(was, is)) place.modified.insert()
  }
}

/** Live objects may hold items twice: nobody told them apart when they came. */
function grouped(list: readonly Json[], shape: Shape): Map<string, Json[]> {
  const found = new Map<string, Json[]>()
  for (const item of list) {
    const element = elementOf(item, shape)
    const known = found.get(element)
    if (known) known.push(item)
    else found.set(element, [item])
  }
  return found
}

/** The live object with a configuration laid over it. */
export function overlay(live: Json | undefined, config: Json | undefined, shape: Shape): Json {
  if (config === undefined) return live as Json
  if (live === undefined || live === null || config === null) {
    return config === null && !isBlank(live) && formOf(live, shape) !== 'leaf' ? (live as Json) : config
  }
  const form = formOf(config, shape)
  if (form !== formOf(live, shape) || form === 'leaf') return config
  if (form === 'list') return overlayLists(live as readonly Json[], config as readonly Json[], shape)
  const merged: Record<string, Json | undefined> = { ...(live as JsonObject) }
  for (const [key, value] of Object.entries(config as JsonObject)) {
    merged[key] = overlay(own(live as JsonObject, key), value, fieldShape(shape, key) ?? anyShape)
  }
  return merged
}

/** The configuration's order for its own items; items that only the live list has keep their place before the next shared one. */
function overlayLists(live: readonly Json[], config: readonly Json[], shape: Shape): Json {
  const wanted = new Map(config.map((item) => [elementOf(item, shape), item]))
  const present = new Map(live.map((item) => [elementOf(item, shape), item]))
  const [left, right] = [live.map((item) => elementOf(item, shape)), [...wanted.keys()]]
  const shared = right.filter((element) => present.has(element))
  const done = new Set<string>()
  const result: Json[] = []
  let [i, k] = [0, 0]
  while (i < left.length || k < right.length) {
    const [mine, theirs] = [left[i], right[k]]
    if (mine !== undefined && !wanted.has(mine)) result.push(live[i++] as Json)
    else if (mine !== undefined && (done.has(mine) || (mine !== theirs && mine !== shared[0] && k < right.length))) i++
    else if (theirs !== undefined) {
      done.add(theirs)
      if (shared[0] === theirs) shared.shift()
      result.push(overlay(present.get(theirs), wanted.get(theirs), itemShape(shape)))
      k++
      if (mine === theirs) i++
    } else i++
  }
  return result
}

/** The value without the members of a set; undefined when nothing is left of it. */
export function without(value: Json, set: FieldSet, shape: Shape): Json {
  if (set.isEmpty) return value
  switch (formOf(value, shape)) {
    case 'leaf':
      return value
    case 'list':
      return (value as readonly Json[]).flatMap((item) => {
        const place = set.children.get(elementOf(item, shape))
        if (place === undefined) return [item]
        return place.member ? [] : [without(item, place, shape.items)]
      })
    case 'object': {
      const kept = Object.entries(value as JsonObject).flatMap(([key, child]): [string, Json][] => {
        const place = set.children.get(`f:${key}`)
        if (place === undefined || child === undefined) return [[key, child as Json]]
        return place.member ? [] : [[key, without(child, place, fieldShape(shape, key) ?? anyShape)]]
      })
      return Object.fromEntries(kept)
    }
  }
}

/** Declared fields count as members when something below them is one: they go with the last of it. */
export function withDeclared(set: FieldSet, shape: Shape): FieldSet {
  const children = new Map<string, FieldSet>()
  for (const [element, child] of set.children) {
    const field = element.startsWith('f:') ? element.slice(2) : undefined
    const childShape = field === undefined ? itemShape(shape) : (fieldShape(shape, field) ?? anyShape)
    const deep = withDeclared(child, childShape)
    const named = field !== undefined && shape.declared(field) !== undefined
    children.set(element, named && !deep.member ? new FieldSet(true, deep.children) : deep)
  }
  return new FieldSet(set.member, children)
}
