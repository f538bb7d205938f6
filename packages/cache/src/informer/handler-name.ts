import type { ResourceEventHandler } from './listener.ts'

/** What a handler is called in messages if nobody said: its class, or its functions, if they have names of their own. */
export function handlerName<T>(handler: ResourceEventHandler<T>): string | undefined {
  const named = (handler as { readonly [HANDLER_NAME]?: string })[HANDLER_NAME]
  if (named !== undefined) return named
  const { name } = handler.constructor ?? {}
  if (name && name !== 'Object') return name
  const functions = [handler.onAdd, handler.onUpdate, handler.onDelete].map((call) => call?.name ?? '')
  const own = functions.filter((called, i) => called !== '' && called !== ['onAdd', 'onUpdate', 'onDelete'][i])
  return own.length === 0 ? undefined : [...new Set(own)].join(', ')
}

/** A handler that is made of another one says so by this. */
export const HANDLER_NAME = Symbol('name of a handler')
