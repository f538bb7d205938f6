import type { Cluster } from '@binnacle/cluster'
import { deepEqual, isPlainObject } from '@binnacle/core'

/** What is left when a story is over: objects by kind and name, without what no two runs have in common. */
export type EndState = ReadonlyMap<string, unknown>

/** Kinds that tell of the way, not of the end. */
const PASSING = new Set(['Event', 'Lease', 'CustomResourceDefinition'])

/** Fields that the server fills in anew in each run. */
const FLEETING = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'managedFields',
  'generation',
])

/** Of all objects, or of those for which it `counts`. */
export function endState(cluster: Cluster, counts: (metadata: Metadata) => boolean = () => true): EndState {
  const state = new Map<string, unknown>()
  for (const object of cluster.snapshot()) {
    const { kind, metadata } = object as { kind: string; metadata: Metadata }
    if (PASSING.has(kind) || !counts(metadata)) continue
    const lasting = Object.entries(metadata).filter(([field]) => !FLEETING.has(field))
    state.set(freeKey(state, kind, metadata), { ...object, metadata: Object.fromEntries(lasting) })
  }
  return state
}

export function isDeleting({ deletionTimestamp }: Metadata): boolean {
  return deletionTimestamp !== undefined
}

interface Metadata {
  readonly name: string
  readonly deletionTimestamp?: string
  readonly namespace?: string
  readonly generateName?: string
}

/** A generated name is another one in each run: such objects are known by their prefix and their turn. */
function freeKey(state: EndState, kind: string, { namespace = '', name, generateName }: Metadata): string {
  if (generateName === undefined) return `${kind} ${namespace}/${name}`
  for (let turn = 1; ; turn++) {
    const key = `${kind} ${namespace}/${generateName}(${turn})`
    if (!state.has(key)) return key
  }
}

/** `object: path`, for every place where two states differ. Members are compared one by one, lists and scalars whole. */
export function differences(expected: EndState, found: EndState): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const object of new Set([...expected.keys(), ...found.keys()])) {
    compare(expected.get(object), found.get(object), object, all)
  }
  return all
}

function compare(expected: unknown, found: unknown, path: string, into: Map<string, string>): void {
  if (deepEqual(expected, found)) return
  if (!isPlainObject(expected) || !isPlainObject(found)) {
    into.set(path, `expected ${shown(expected)}, found ${shown(found)}`)
    return
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    compare(expected[key], found[key], `${path}.${key}`, into)
  }
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
