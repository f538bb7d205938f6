import { deepEqual, diffWithin, type KubeObject, valueAt } from '@binnacle/core'
import { ABSENT, type OneOf, PRESENT } from '../declare/filters.ts'
import type { Criterion, HandlerFilters } from '../declare/handler.ts'
import type { Scope } from '../declare/scope.ts'

/** What filters look at. `old` and `current` are essences; they exist only where there is a change. */
export interface Subject {
  readonly body: KubeObject
  readonly change?: { readonly old: unknown; readonly current: unknown } | undefined
  /** What callbacks of the scope get; made once, and only if one asks. */
  readonly view: (scope?: Scope) => object
}

/**
 * Which filter says no; undefined when all hold. Looks at the present state only, so it also tells whether an object is in scope at all,
 * and whether its deletion would concern a handler.
 * Guarantees: no side effects; callbacks are called last, `when` the very last.
 */
export function stateMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  return metadataMismatch(filters, subject) ?? fieldMismatch(filters, subject) ?? whenMismatch(filters, subject)
}

/** The same for a change: the field must have changed, then `value` holds on either side, or `old` and `new` each on theirs. */
export function changeMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  return metadataMismatch(filters, subject) ?? sidesMismatch(filters, subject) ?? whenMismatch(filters, subject)
}

/**
 * As `changeMismatch` without the change: could a change of this object ever concern the handler? Every object that `changeMismatch`
 * accepts is in scope, also one that satisfied the value when it was handled last, and does not any more.
 */
export function scopeMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  return metadataMismatch(filters, subject) ?? valueMismatch(filters, subject) ?? whenMismatch(filters, subject)
}

function valueMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  const { field, value } = filters
  const { change } = subject
  const view = viewFor(filters, subject)
  // A handler of changes without a criterion puts every object in scope, so that the first appearance of the field is a change.
  if (field === undefined || value === undefined) return undefined
  const before = change?.old === undefined ? false : holds(value, valueAt(change.old, field), view)
  return before ? undefined : fieldMismatch(filters, subject)
}

function viewFor({ scope }: HandlerFilters, { view }: Subject): () => object {
  return () => view(scope)
}

function metadataMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  const { labels, annotations } = filters
  const { body } = subject
  const view = viewFor(filters, subject)
  const label = labels.find(([key, criterion]) => !holds(criterion, memberOf(body.metadata.labels, key), view))
  if (label) return `label ${label[0]}`
  const annotation = annotations.find(
    ([key, criterion]) => !holds(criterion, memberOf(body.metadata.annotations, key), view),
  )
  return annotation && `annotation ${annotation[0]}`
}

function fieldMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  const { field, value } = filters
  if (field === undefined) return undefined
  return holds(value ?? PRESENT, valueAt(subject.body, field), viewFor(filters, subject))
    ? undefined
    : `field ${field.join('.')}`
}

function sidesMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  const { field, value } = filters
  const { change } = subject
  const view = viewFor(filters, subject)
  if (field === undefined) return undefined
  if (diffWithin(change?.old, change?.current, field).length === 0)
    return `field ${field.join('.')}, which has not changed`
  const before = valueAt(change?.old, field)
  const after = valueAt(change?.current, field)
  if (value !== undefined && !holds(value, after, view) && !holds(value, before, view))
    return `value of ${field.join('.')}`
  if (filters.old !== undefined && !holds(filters.old, before, view)) return `old value of ${field.join('.')}`
  if (filters.new !== undefined && !holds(filters.new, after, view)) return `new value of ${field.join('.')}`
  return undefined
}

function whenMismatch(filters: HandlerFilters, subject: Subject): string | undefined {
  const { when } = filters
  return when === undefined || when(viewFor(filters, subject)()) ? undefined : 'when'
}

/** Strict by type and deep: 0 is not false. An explicit null is present. */
function holds(criterion: Criterion, value: unknown, view: () => object): boolean {
  if (criterion === PRESENT) return value !== undefined
  if (criterion === ABSENT) return value === undefined
  if (typeof criterion === 'function') return Boolean(criterion(value, view()))
  if (isOneOf(criterion)) return criterion['~oneOf'].some((accepted) => deepEqual(accepted, value))
  return deepEqual(criterion, value)
}

function isOneOf(criterion: Criterion): criterion is OneOf<unknown> {
  return typeof criterion === 'object' && criterion !== null && '~oneOf' in criterion
}

function memberOf(map: { readonly [key: string]: string } | undefined, key: string): string | undefined {
  return map && Object.hasOwn(map, key) ? map[key] : undefined
}
