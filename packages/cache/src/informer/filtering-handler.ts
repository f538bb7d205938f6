import type { KubeObject } from '@binnacle/core'
import { metaNamespaceKeyFunc } from '../keys.ts'
import { HANDLER_NAME, handlerName } from './handler-name.ts'
import type { ResourceEventHandler } from './listener.ts'

/**
 * A handler that sees only what passes; entering and leaving the filter appear as additions and deletions.
 * A deletion of which the last state is unknown passes: whoever keeps something for the object must hear of it.
 */
export function filteringHandler<T>(
  filter: (object: T) => boolean,
  handler: ResourceEventHandler<T>,
): ResourceEventHandler<T> {
  const filtered: ResourceEventHandler<T> & { readonly [HANDLER_NAME]: string } = {
    [HANDLER_NAME]: `${handlerName(handler) ?? 'a handler'}, filtered`,
    onAdd: (object, isInInitialList) => (filter(object) ? handler.onAdd?.(object, isInInitialList) : undefined),
    onUpdate: (old, object) => {
      const [before, now] = [filter(old), filter(object)]
      if (before && now) return handler.onUpdate?.(old, object)
      if (now) return handler.onAdd?.(object, false)
      if (!before) return undefined
      const key = metaNamespaceKeyFunc(old as KubeObject)
      return handler.onDelete?.({ key, object: old, finalStateUnknown: false })
    },
    onDelete: (deleted) =>
      deleted.object === undefined || filter(deleted.object) ? handler.onDelete?.(deleted) : undefined,
  }
  return filtered
}
