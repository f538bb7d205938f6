import type { Client } from '@binnacle/client'
import { BinnacleError, type FieldKeys, type ResourceInfo, type ResourceLike, resource } from '@binnacle/core'
import { type ChangeHandler, nameOf } from '../declare/handler.ts'
import { duplicateId, type Registry } from '../declare/registry.ts'
import type { ServedKind } from '../declare/served-kind.ts'
import { declaresConditions } from './conditions.ts'

/**
 * What was declared, by the kinds that the server has.
 * Guarantees: one entry for each kind, whichever names it was declared under; refused whole, with every name that is not served.
 */
export async function servedKinds(
  registry: Registry,
  client: Client,
  signal: AbortSignal,
): Promise<readonly ServedKind[]> {
  const names = new Map<string, ResourceLike>()
  for (const { resource } of [
    ...registry.changes,
    ...registry.events,
    ...registry.background,
    ...registry.indices.values(),
  ])
    names.set(nameOf(resource), resource)
  const found = new Map<string, ResourceInfo>()
  const missing: string[] = []
  for (const [name, declared] of names) {
    const info = await client.discovery.resolve(declared, { signal })
    if (info) found.set(name, info)
    else missing.push(name)
  }
  if (missing.length > 0) throw notServed(missing, registry)
  const kinds = group(found, registry)
  const rooms = await Promise.all(
    kinds.map(
      ({ info, handlers, background }) =>
        handlers.length + background.length > 0 && declaresConditions(client, info, signal),
    ),
  )
  return kinds.map((kind, i) => ({ ...kind, conditions: rooms[i] ?? false }))
}

function group(
  found: ReadonlyMap<string, ResourceInfo>,
  registry: Registry,
): readonly Omit<ServedKind, 'conditions'>[] {
  const addresses = new Map([...found.values()].map((info) => [addressOf(info), info]))
  const isOf = (info: ResourceInfo) => (declaration: { readonly resource: ResourceLike }) => {
    const candidate = found.get(nameOf(declaration.resource))
    return candidate !== undefined && addressOf(candidate) === addressOf(info)
  }
  return [...addresses.values()].map((info) => {
    const handlers = withoutNamesakes(registry.changes.filter(isOf(info)))
    const events = registry.events.filter(isOf(info))
    const background = registry.background.filter(isOf(info))
    const indices = new Set([...registry.indices.values()].filter(isOf(info)))
    const tracked = [...handlers, ...events].flatMap(({ filters }): FieldKeys[] =>
      filters.field ? [filters.field] : [],
    )
    return { info, resource: handleOf(info), handlers, events, background, indices, tracked }
  })
}

/** The registry knows kinds by the names that were written; only here is it known that two names are one kind. */
function withoutNamesakes(handlers: readonly ChangeHandler[]): readonly ChangeHandler[] {
  const functions = new Map<string, ChangeHandler['fn']>()
  for (const handler of handlers) {
    const { id, fn } = handler
    if ((functions.get(id) ?? fn) !== fn) throw duplicateId(handler)
    functions.set(id, fn)
  }
  return handlers
}

function addressOf({ group, version, plural }: ResourceInfo): string {
  return `${group}/${version}/${plural}`
}

function handleOf({ group, version, kind, plural, singular, scope }: ResourceInfo): ServedKind['resource'] {
  return resource({ group, version, kind, plural, singular, scope }) as ServedKind['resource']
}

function notServed(missing: readonly string[], registry: Registry): BinnacleError {
  const users = missing.map((name) => {
    const ids = [...registry.changes, ...registry.events, ...registry.background]
      .filter(({ resource }) => nameOf(resource) === name)
      .map(({ id }) => `"${id}"`)
    return ids.length > 0
      ? `${name} (${ids.length > 1 ? 'handlers' : 'handler'} ${ids.join(', ')})`
      : `${name} (an index)`
  })
  return new BinnacleError('BIN_UNKNOWN_RESOURCE', {
    message: `The API server does not serve ${users.join(', ')}`,
    hint: 'Install the CustomResourceDefinition first, or correct the name. `kubectl api-resources` lists what is served.',
  })
}
