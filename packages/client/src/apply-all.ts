import {
  BinnacleError,
  type KubeObject,
  type NewAnyObject,
  type RequestOptions,
  type ResourceInfo,
  type Runtime,
  seconds,
} from '@binnacle/core'
import type { ServerDiscovery } from './discovery.ts'
import type { ApplyOptions } from './options.ts'

/**
 * A mixed set of objects, in the order of dependence.
 * Guarantees: what others stand on comes first, and otherwise the order is that of the set; kinds that the set itself defines are waited for, until
 * the deadline; the answers have the order of the set.
 * Does not guarantee: all or nothing: it ends at the first refusal, and what came before stays.
 */
export interface Applying {
  readonly runtime: Runtime
  readonly discovery: ServerDiscovery
  /** Seconds for a kind to be served, unless the options say otherwise. */
  readonly timeout: number
  readonly apply: (resource: ResourceInfo, object: NewAnyObject) => Promise<KubeObject>
}

/** Kinds that come before all others, in this order. */
const FIRST = [
  'Namespace',
  'CustomResourceDefinition',
  'PriorityClass',
  'StorageClass',
  'ResourceQuota',
  'LimitRange',
  'ServiceAccount',
  'ClusterRole',
  'Role',
  'ClusterRoleBinding',
  'RoleBinding',
  'Secret',
  'ConfigMap',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Service',
]
/** Kinds that would act on the others, and so come last. */
const LAST = ['APIService', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']
/** Seconds between two looks at whether a kind is served by now. */
const LOOK = 0.2

export async function applyAll(
  applying: Applying,
  objects: readonly NewAnyObject[],
  options: ApplyOptions,
): Promise<readonly KubeObject[]> {
  const names = objects.map(resourceNameOf)
  const defined = new Set(objects.flatMap(definedKind))
  const order = objects.map((_, index) => index).sort((a, b) => rankOf(objects[a]) - rankOf(objects[b]) || a - b)
  const applied: KubeObject[] = []
  for (const index of order) {
    const [object, name] = [objects[index], names[index]]
    if (object === undefined || name === undefined) continue
    applied[index] = await applying.apply(await resourceOf(applying, name, defined, options), object)
  }
  return applied
}

/** Smaller comes first. */
export function rankOf(object: NewAnyObject | undefined): number {
  const kind = object?.kind ?? ''
  const [first, last] = [FIRST.indexOf(kind), LAST.indexOf(kind)]
  if (first !== -1) return first
  return last === -1 ? FIRST.length : FIRST.length + 1 + last
}

function resourceNameOf({ apiVersion, kind, metadata }: NewAnyObject, index: number): string {
  if (apiVersion && kind) return `${apiVersion}/${kind}`
  throw new BinnacleError('BIN_RESOURCE', {
    message: `Object ${index + 1} of the set${metadata?.name ? `, ${JSON.stringify(metadata.name)},` : ''} has no apiVersion or no kind`,
    hint: 'Each object of a mixed set says itself what it is: add apiVersion and kind.',
  })
}

/** The names of what a CustomResourceDefinition will make the server serve. */
function definedKind(object: NewAnyObject): readonly string[] {
  if (object.kind !== 'CustomResourceDefinition') return []
  const { group, names, versions } = object.spec ?? {}
  if (!Array.isArray(versions)) return []
  return versions.map((version) => `${group}/${version?.name}/${names?.kind}`)
}

async function resourceOf(
  { discovery, runtime, timeout }: Applying,
  name: string,
  defined: ReadonlySet<string>,
  options: RequestOptions,
): Promise<ResourceInfo> {
  const until = runtime.clock.monotonic() + (options.timeout === undefined ? timeout : seconds(options.timeout))
  while (true) {
    const found = await discovery.resolve(name, options)
    if (found) return found
    if (!defined.has(name) || runtime.clock.monotonic() >= until) return discovery.known(name, options)
    await runtime.clock.sleep(LOOK, options.signal)
  }
}
