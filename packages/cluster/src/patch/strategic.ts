/**
 * Strategic merge patch: a merge patch that knows which lists are merged by which key, with the directives $patch,
 * $deleteFromPrimitiveList, $setElementOrder and $retainKeys.
 * Guarantees: neither input is changed; new items come before those that only the server has, as in the original.
 * Throws StrategicFailure for a patch that nobody can understand.
 */
import { equalJson, isObject, type Json, type JsonObject, own, printJson } from '../json.ts'
import { anyShape, fieldShape, type Shape } from '../schema/shape.ts'

export class StrategicFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StrategicFailure'
  }
}

const orderPrefix = '$setElementOrder/'
const deletePrefix = '$deleteFromPrimitiveList/'

type Draft = Record<string, Json | undefined>

export function strategicPatch(original: JsonObject, patch: JsonObject, shape: Shape): JsonObject {
  const directive = patch.$patch
  if (directive !== undefined) return directed(directive, patch)
  const result = retained(original, patch.$retainKeys)
  const done = new Set(['$retainKeys'])
  for (const key of Object.keys(patch)) if (key.startsWith(orderPrefix)) order(result, patch, key, shape, done)
  for (const [key, value] of Object.entries(patch)) {
    if (done.has(key) || value === undefined) continue
    if (key.startsWith(deletePrefix)) dropItems(result, key.slice(deletePrefix.length), value)
    else mergeField(result, key, value, fieldShape(shape, key) ?? anyShape)
  }
  return result
}

/** As Go prints a value into a message. */
function goText(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => goText(item)).join(' ')}]`
  if (!isObject(value)) return value === null ? '<nil>' : String(value)
  const keys = Object.keys(value).sort()
  return `map[${keys.map((key) => `${key}:${goText(value[key] ?? null)}`).join(' ')}]`
}

function directed(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {}
  if (directive === 'merge') throw new StrategicFailure('$patch: merge makes no sense for an object')
  if (directive !== 'replace') {
    throw new StrategicFailure(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`)
  }
  const { $patch: _, ...rest } = patch
  return rest
}

function retained(original: JsonObject, keys: Json | undefined): Draft {
  if (keys === undefined) return { ...original }
  if (!Array.isArray(keys)) throw new StrategicFailure('$retainKeys must be a list')
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)))
}

function dropItems(result: Draft, field: string, items: Json): void {
  const present = own(result, field)
  if (!Array.isArray(items)) throw new StrategicFailure(`${deletePrefix}${field} must be a list`)
  if (!Array.isArray(present)) return
  result[field] = present.filter((item: Json) => !items.some((other: Json) => equalJson(item, other)))
}

function mergeField(result: Draft, key: string, value: Json, shape: Shape): void {
  const present = own(result, key)
  if (value === null) delete result[key]
  else if (present === undefined || present === null) result[key] = plain(value)
  else if (isObject(value) && isObject(present)) {
    const replaced = shape.patchStrategies.includes('replace')
    result[key] = replaced ? plain(value) : strategicPatch(present, value, shape)
  } else if (Array.isArray(value) && Array.isArray(present)) result[key] = mergeLists(present, value, shape)
  else result[key] = plain(value)
}

/** What a patch brings where nothing was: without its directives and nulls. */
function plain(value: Json): Json {
  if (Array.isArray(value)) {
    return value.filter((item: Json) => !(isObject(item) && item.$patch !== undefined)).map((item: Json) => plain(item))
  }
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key, item]) => item !== null && !key.startsWith('$'))
  return Object.fromEntries(kept.map(([key, item]) => [key, plain(item as Json)]))
}

function mergeLists(present: readonly Json[], patch: readonly Json[], shape: Shape): Json {
  if (!shape.patchStrategies.includes('merge')) return plain(patch)
  if (!patch.some(isObject) && !present.some(isObject)) {
    const both = [...present, ...patch].filter((item, i, all) => all.findIndex((o) => equalJson(o, item)) === i)
    return ordered(both, patch, present, undefined)
  }
  return mergeItems(present, patch, shape)
}

function mergeItems(present: readonly Json[], patch: readonly Json[], shape: Shape): Json {
  const key = shape.patchMergeKey
  if (key === undefined) throw new StrategicFailure('cannot merge lists without merge key')
  const { kept, rest, replaced } = withoutDirectives(present, patch, key)
  if (replaced) return rest
  const merged: Json[] = [...kept]
  for (const item of rest) {
    const id = isObject(item) ? own(item, key) : undefined
    if (id === undefined) {
      throw new StrategicFailure(`map: ${printJson(item)} does not contain declared merge key: ${key}`)
    }
    const at = merged.findIndex((other) => isObject(other) && equalJson(own(other, key), id))
    if (at === -1) merged.push(plain(item))
    else merged[at] = strategicPatch(merged[at] as JsonObject, item as JsonObject, shape.items)
  }
  return ordered(merged, rest, kept, key)
}

/** Items with $patch: delete take away, one with $patch: replace makes the patch the whole list. */
function withoutDirectives(present: readonly Json[], patch: readonly Json[], key: string) {
  const special = patch.filter((item) => isObject(item) && item.$patch !== undefined) as readonly JsonObject[]
  const rest = patch.filter((item) => !(isObject(item) && item.$patch !== undefined))
  let kept = present
  for (const item of special) {
    if (item.$patch === 'delete') {
      kept = kept.filter((other) => !(isObject(other) && equalJson(own(other, key), own(item, key))))
    } else if (item.$patch !== 'replace') {
      throw new StrategicFailure(`Unknown patch type found: ${printJson(item.$patch)}`)
    }
  }
  return { kept, rest, replaced: special.some((item) => item.$patch === 'replace') }
}

function order(result: Draft, patch: JsonObject, directive: string, shape: Shape, done: Set<string>): void {
  const field = directive.slice(orderPrefix.length)
  const wanted = patch[directive]
  if (!Array.isArray(wanted)) throw new StrategicFailure(`${directive} must be a list`)
  done.add(directive)
  const present = own(result, field)
  const change = own(patch, field)
  const known = fieldShape(shape, field) ?? anyShape
  const live = Array.isArray(present) ? present : []
  if (!Array.isArray(present) && !Array.isArray(change)) return
  const merged = Array.isArray(change) ? (live.length > 0 ? mergeLists(live, change, known) : plain(change)) : live
  done.add(field)
  // Directives of the same list are still to come: deletions work on the ordered list as well.
  result[field] = ordered(merged as readonly Json[], wanted, live, known.patchMergeKey)
}

const sameItem = (a: Json, b: Json, key: string | undefined) =>
  key !== undefined && isObject(a) && isObject(b) ? equalJson(own(a, key), own(b, key)) : equalJson(a, b)

const positionIn = (list: readonly Json[], item: Json, key: string | undefined) =>
  list.findIndex((other) => sameItem(other, item, key))

/** Items of the patch in the patch's order; the server's own are put among them by the order that the server had. */
function ordered(
  merged: readonly Json[],
  wanted: readonly Json[],
  live: readonly Json[],
  key: string | undefined,
): Json {
  const place = (list: readonly Json[]) => (a: Json, b: Json) => positionIn(list, a, key) - positionIn(list, b, key)
  const patched = merged.filter((item) => positionIn(wanted, item, key) !== -1).sort(place(wanted))
  const others = merged.filter((item) => positionIn(wanted, item, key) === -1).sort(place(live))
  const result: Json[] = []
  while (patched.length > 0 && others.length > 0) {
    const [left, right] = [positionIn(live, others[0] as Json, key), positionIn(live, patched[0] as Json, key)]
    const takeOther = left >= 0 && right >= 0 && left < right
    result.push((takeOther ? others.shift() : patched.shift()) as Json)
  }
  return [...result, ...patched, ...others]
}
