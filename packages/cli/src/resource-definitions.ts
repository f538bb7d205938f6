import { toCRD } from '@binnacle/core'
import type { Manifest } from './manifests.ts'
import type { ResourceShape } from './shapes.ts'

/** The CustomResourceDefinitions of declared resources, one for each kind with all of its versions. */
export function definitionsOf(resources: readonly ResourceShape[]): readonly Manifest[] {
  const byName = new Map<string, [ResourceShape, ...ResourceShape[]]>()
  for (const resource of resources.filter(isCustom)) {
    const name = `${resource.plural}.${resource.group}`
    const others = byName.get(name)
    if (others) others.push(resource)
    else byName.set(name, [resource])
  }
  return [...byName.values()].map((versions) => toCRD(...distinct(versions)) as unknown as Manifest)
}

/** The groups of Kubernetes itself have no dot, or belong to k8s.io: what is declared there exists already. */
function isCustom({ group }: ResourceShape): boolean {
  return group.includes('.') && !group.endsWith('.k8s.io')
}

/** One of each version; the last declaration counts. */
function distinct(versions: [ResourceShape, ...ResourceShape[]]): [ResourceShape, ...ResourceShape[]] {
  const [first, ...rest] = new Map(versions.map((resource) => [resource.version, resource])).values()
  return first ? [first, ...rest] : versions
}
