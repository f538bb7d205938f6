import { formatSelector, type ResourceLike } from '@binnacle/core'
import type { InformerScope } from './shared-informer-factory.ts'

/** How resources and scopes are told apart. */

/** The same for the same name or handle. One resource that is named in two ways has two. */
export function resourceId(resource: ResourceLike): string {
  return typeof resource === 'string' ? resource : `${resource.apiVersion}/${resource.plural}`
}

/** Group and plural, for messages: of `plural`, `plural.group`, `plural.version.group` or `group/version/plural`. */
export function resourceName(resource: ResourceLike): { readonly group: string; readonly plural: string } {
  if (typeof resource !== 'string') return { group: resource.group, plural: resource.plural }
  if (resource.includes('/')) {
    const parts = resource.split('/')
    return { plural: parts.at(-1) ?? resource, group: parts.length > 2 ? (parts[0] ?? '') : '' }
  }
  const [plural = resource, ...rest] = resource.split('.')
  const group = /^v\d/.test(rest[0] ?? '') ? rest.slice(1) : rest
  return { plural, group: group.join('.') }
}

/** Empty for everything, so that the usual name is the resource's. */
export function scopeId({ namespace, labels, fields }: InformerScope): string {
  return [
    ...(namespace === undefined ? [] : [` in ${namespace}`]),
    ...(labels === undefined ? [] : [` with ${formatSelector(labels)}`]),
    ...(fields === undefined ? [] : [` where ${formatSelector(fields)}`]),
  ].join('')
}
