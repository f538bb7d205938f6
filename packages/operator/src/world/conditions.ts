import type { Client } from '@binnacle/client'
import { type AnyObject, isPlainObject, type ResourceInfo, valueAt } from '@binnacle/core'

/**
 * Whether the schema of a custom kind declares `status.conditions`. Kinds of Kubernetes itself have conditions too, but those are the affair of
 * others. Who may not read definitions, or is not told, is told no: then an event is the only trace of a failure.
 */
export async function declaresConditions(client: Client, info: ResourceInfo, signal: AbortSignal): Promise<boolean> {
  if (!info.group.includes('.') || info.group.endsWith('.k8s.io')) return false
  try {
    const name = `${info.plural}.${info.group}`
    const definition = await client.find('apiextensions.k8s.io/v1/customresourcedefinitions', name, { signal })
    return hasConditions(definition as unknown as AnyObject | undefined, info.version)
  } catch {
    signal.throwIfAborted()
    return false
  }
}

function hasConditions(definition: AnyObject | undefined, version: string): boolean {
  const versions: unknown = valueAt(definition, ['spec', 'versions'])
  if (!Array.isArray(versions)) return false
  const served = versions.find((each) => isPlainObject(each) && each['name'] === version)
  const path = ['schema', 'openAPIV3Schema', 'properties', 'status', 'properties', 'conditions', 'type']
  return valueAt(served, path) === 'array'
}
