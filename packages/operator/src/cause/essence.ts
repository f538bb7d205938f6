import { type FieldKeys, getOwn, isPlainObject, type KubeObject, type StringMap, setOwn, valueAt } from '@binnacle/core'

/** The content of an object: what an update is an update of. */
export interface Essence {
  readonly [field: string]: unknown
}

/** kubectl keeps a copy of the object in it, so it changes with every field and says nothing of its own. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Prefixes of annotations that operators keep their state under; none of it is content. */
const STATE_PREFIX = /^([a-z0-9-]+\.)*(binnacle\.dev|kopf\.zalando\.org|kopf\.dev)\//
/** Kopf's way to say that a whole prefix is an operator's. */
const KOPF_MANAGED = '/kopf-managed'

/**
 * The body without status, noise and the marks of operators: no apiVersion, no kind, of the metadata only labels and annotations, and of
 * the status only the fields that some handler of the kind names.
 * Guarantees: two bodies that differ only in what no user writes have equal essences; empty stanzas are the same as absent ones.
 */
export function essenceOf(body: KubeObject, tracked: readonly FieldKeys[]): Essence {
  const essence: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(body)) {
    if (key !== 'apiVersion' && key !== 'kind' && key !== 'metadata' && key !== 'status') setOwn(essence, key, value)
  }
  const metadata = metadataOf(body)
  if (metadata) essence['metadata'] = metadata
  for (const keys of tracked) track(essence, keys, valueAt(body, keys))
  return essence
}

function metadataOf(body: KubeObject): object | undefined {
  const labels = filled(body.metadata.labels)
  const annotations = filled(contentOf(body.metadata.annotations ?? {}))
  return filled({ ...(labels && { labels }), ...(annotations && { annotations }) })
}

function contentOf(annotations: StringMap): StringMap {
  const entries = Object.entries(annotations)
  const managed = entries
    .filter(([key]) => key.endsWith(KOPF_MANAGED))
    .map(([key]) => key.slice(0, 1 - KOPF_MANAGED.length))
  const isState = (key: string) => STATE_PREFIX.test(key) || managed.some((prefix) => key.startsWith(prefix))
  return Object.fromEntries(entries.filter(([key]) => !isState(key) && key !== LAST_APPLIED))
}

function filled<T extends object>(stanza: T | undefined): T | undefined {
  return stanza && Object.keys(stanza).length > 0 ? stanza : undefined
}

/** Copies one field of the body, along a path that may not exist in the essence yet. */
function track(essence: Record<string, unknown>, keys: FieldKeys, value: unknown): void {
  const [first, ...rest] = keys
  if (first === undefined || value === undefined || valueAt(essence, keys) !== undefined) return
  if (rest.length === 0) return setOwn(essence, first, value)
  const inner = getOwn(essence, first)
  const copy = isPlainObject(inner) ? { ...inner } : {}
  track(copy, rest, value)
  setOwn(essence, first, copy)
}
