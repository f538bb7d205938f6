import type { Cause } from '../cause/detect.ts'
import type { ChangeHandler } from '../declare/handler.ts'
import { changeMismatch, type Subject, scopeMismatch, stateMismatch } from './match.ts'

/**
 * The handlers of one cause, in the order of declaration; a function under several ids runs for each, under one id once.
 * While the object is one that the operator found at its start and has not handled yet (`initial`), those that resume join.
 */
export function selectHandlers(
  handlers: readonly ChangeHandler[],
  cause: Cause,
  subject: Subject,
  initial = false,
): ChangeHandler[] {
  const chosen: ChangeHandler[] = []
  for (const handler of handlers) {
    if (!wants(handler, cause, subject, initial)) continue
    if (!chosen.some(({ id, fn }) => id === handler.id && fn === handler.fn)) chosen.push(handler)
  }
  return chosen
}

/** Whether any handler of the kind could ever care for the object. If none does, it is left entirely alone. */
export function inScope(handlers: readonly ChangeHandler[], subject: Subject): boolean {
  return handlers.some(({ reason, filters }) =>
    reason === 'update' || reason === 'field' ? !scopeMismatch(filters, subject) : !stateMismatch(filters, subject),
  )
}

/** Whether a deletion of the object has to wait for a handler. */
export function mustBeHeld(handlers: readonly ChangeHandler[], subject: Subject): boolean {
  return handlers.some(
    ({ reason, optional, filters }) => reason === 'delete' && !optional && !stateMismatch(filters, subject),
  )
}

function wants(handler: ChangeHandler, cause: Cause, subject: Subject, initial: boolean): boolean {
  switch (handler.reason) {
    case 'create':
      return cause.reason === 'create' && !stateMismatch(handler.filters, subject)
    case 'update':
      return (
        cause.reason === 'update' && (isOutdated(handler, cause, subject) || !changeMismatch(handler.filters, subject))
      )
    case 'delete':
      return isDeletion(cause) && !stateMismatch(handler.filters, subject)
    case 'field':
      return isChange(cause) && (isOutdated(handler, cause, subject) || !changeMismatch(handler.filters, subject))
    case 'resume':
      return initial && isResumed(cause, handler) && !stateMismatch(handler.filters, subject)
  }
}

/** A field that has changed back is no change any more, but whoever has acted on it must hear of it. */
function isOutdated({ id, filters }: ChangeHandler, cause: Cause, subject: Subject): boolean {
  return cause.reason === 'update' && cause.outdated.includes(id) && !scopeMismatch(filters, subject)
}

/** A field may also have changed just before its object was deleted. */
function isChange({ reason }: Cause): boolean {
  return reason === 'create' || reason === 'update' || reason === 'delete'
}

/** Creation never mixes with resuming: what is new to the operator cannot be resumed. */
function isResumed({ reason }: Cause, { deleted }: ChangeHandler): boolean {
  return reason === 'resume' || reason === 'update' || (reason === 'delete' && deleted)
}

/** Held back by us, or not: a deletion concerns delete handlers in every form in which it is seen. */
export function isDeletion({ reason }: Cause): boolean {
  return reason === 'delete' || reason === 'free' || reason === 'gone'
}
