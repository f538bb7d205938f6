import { isDeepStrictEqual } from 'node:util'

/**
 * Document 002 as a program: which handlers are called for which state of an object. Written from the document, and apart from the code that it
 * judges: filters are data here, and are looked at in the plainest way that there is.
 */

/** As much of an object as filters look at. */
export interface Content {
  readonly spec: { readonly [key: string]: unknown }
  readonly labels: { readonly [label: string]: string }
  readonly annotations: { readonly [annotation: string]: string }
}

/** Callbacks by name, for values and for whole objects. */
export const VALUE_CALLBACKS = {
  isAbsent: (value: unknown) => value === undefined,
  isX: (value: unknown) => value === 'x',
  isText: (value: unknown) => typeof value === 'string',
  isNotEmpty: (value: unknown) => value !== undefined && value !== '',
} as const
export const WHOLE_CALLBACKS = {
  hasA: ({ spec }: Pick<Content, 'spec'>) => spec['a'] !== undefined,
  labelledX: ({ labels }: Pick<Content, 'labels'>) => labels['tier'] === 'x',
  noted: ({ annotations }: Pick<Content, 'annotations'>) => 'example.com/note' in annotations,
  always: () => true,
} as const
export type ValueCallback = keyof typeof VALUE_CALLBACKS
export type WholeCallback = keyof typeof WHOLE_CALLBACKS

/** How callbacks are put together. */
export type Combined<Name> =
  | { readonly by: 'itself'; readonly of: readonly [Name] }
  | { readonly by: 'not'; readonly of: readonly [Name] }
  | { readonly by: 'any' | 'all' | 'none'; readonly of: readonly Name[] }

export type Check =
  | { readonly is: 'PRESENT' | 'ABSENT' }
  | { readonly is: 'literal'; readonly value: unknown }
  | { readonly is: 'one of'; readonly values: readonly unknown[] }
  | { readonly is: 'callback'; readonly callback: Combined<ValueCallback> }

export type Cause = 'create' | 'update' | 'delete' | 'resume' | 'field'

export interface ModelHandler {
  readonly id: string
  readonly on: Cause
  readonly optional?: boolean
  readonly labels: { readonly [label: string]: Check }
  readonly annotations: { readonly [annotation: string]: Check }
  readonly field?: readonly string[] | undefined
  readonly value?: Check | undefined
  readonly old?: Check | undefined
  readonly new?: Check | undefined
  readonly when?: Combined<WholeCallback> | undefined
}

/** A call that is expected: of a handler with a field, together with what it is shown of the field. */
export interface Call {
  readonly id: string
  readonly old?: unknown
  readonly current?: unknown
}

function combined<Name>({ by, of }: Combined<Name>, test: (name: Name) => boolean): boolean {
  const passed = of.filter(test).length
  if (by === 'any') return passed > 0
  if (by === 'not' || by === 'none') return passed === 0
  return passed === of.length
}

function satisfied(check: Check, value: unknown): boolean {
  switch (check.is) {
    case 'PRESENT':
      return value !== undefined
    case 'ABSENT':
      return value === undefined
    case 'literal':
      return isDeepStrictEqual(value, check.value)
    case 'one of':
      return check.values.some((accepted) => isDeepStrictEqual(value, accepted))
    case 'callback':
      return combined(check.callback, (name) => VALUE_CALLBACKS[name](value))
  }
}

function at(content: Content | undefined, path: readonly string[]): unknown {
  const tree = content && { spec: content.spec, metadata: { labels: content.labels, annotations: content.annotations } }
  let value: unknown = tree
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as { readonly [key: string]: unknown })[key]
  }
  return value
}

const metadataHolds = ({ labels, annotations }: ModelHandler, content: Content): boolean =>
  Object.entries(labels).every(([key, check]) => satisfied(check, content.labels[key])) &&
  Object.entries(annotations).every(([key, check]) => satisfied(check, content.annotations[key]))

const whenHolds = ({ when }: ModelHandler, content: Content): boolean =>
  when === undefined || combined(when, (name) => WHOLE_CALLBACKS[name](content))

/** "check the resource in its current --and the only-- state" */
export function matchesState(handler: ModelHandler, content: Content): boolean {
  const { field, value = { is: 'PRESENT' } } = handler
  const fieldHolds = field === undefined || satisfied(value, at(content, field))
  return metadataHolds(handler, content) && fieldHolds && whenHolds(handler, content)
}

/** "in any way affected: changed, added or removed", and then either `value` on any side, or `old` and `new` each on theirs */
function matchesChange(handler: ModelHandler, before: Content | undefined, now: Content): boolean {
  const { field, value } = handler
  if (!metadataHolds(handler, now) || !whenHolds(handler, now)) return false
  if (field === undefined) return true
  const [was, is] = [at(before, field), at(now, field)]
  if (isDeepStrictEqual(was, is)) return false
  if (value !== undefined) return satisfied(value, was) || satisfied(value, is)
  const oldHolds = handler.old === undefined || satisfied(handler.old, was)
  return oldHolds && (handler.new === undefined || satisfied(handler.new, is))
}

/** "if an object does not match any filters of any handlers …": all filters but those of the change itself. */
function couldMatch(handler: ModelHandler, before: Content | undefined, now: Content): boolean {
  if (handler.on !== 'update' && handler.on !== 'field') return matchesState(handler, now)
  if (!metadataHolds(handler, now) || !whenHolds(handler, now)) return false
  const { field, value } = handler
  if (field === undefined || value === undefined) return true
  return satisfied(value, at(now, field)) || (before !== undefined && satisfied(value, at(before, field)))
}

/** One object in the eyes of an operator. */
export class FilterModel {
  readonly #handlers: readonly ModelHandler[]
  /** What was handled last. */
  #handled: Content | undefined
  /** Whether this process has found the object at its start, and not handled it yet. */
  #found = false

  constructor(handlers: readonly ModelHandler[]) {
    this.#handlers = handlers
  }

  restarted(): void {
    this.#found = true
  }

  /** The object is there, in this state. */
  sees(now: Content): readonly Call[] {
    const before = this.#handled
    if (!this.#handlers.some((handler) => couldMatch(handler, before, now))) return [] // stealth mode
    const found = this.#found && before !== undefined
    const changed = !isDeepStrictEqual(before, now)
    this.#handled = now
    this.#found = false
    const called = (handler: ModelHandler): boolean => {
      if (handler.on === 'create') return before === undefined && matchesState(handler, now)
      if (handler.on === 'update') return before !== undefined && changed && matchesChange(handler, before, now)
      if (handler.on === 'field') return changed && matchesChange(handler, before, now)
      return handler.on === 'resume' && found && matchesState(handler, now)
    }
    return this.#handlers
      .filter(called)
      .map(({ id, field }) => (field ? { id, old: at(before, field), current: at(now, field) } : { id }))
  }

  /** It was deleted, in the state in which it was seen last. */
  deleted(last: Content): readonly string[] {
    const called = this.#handlers.filter((handler) => handler.on === 'delete' && matchesState(handler, last))
    this.#handled = undefined
    this.#found = false
    return called.map(({ id }) => id)
  }

  /** Whether a deletion has to wait. */
  holds(now: Content): boolean {
    return this.#handlers.some((handler) => handler.on === 'delete' && !handler.optional && matchesState(handler, now))
  }

  /** Whether it carries what was handled last. */
  get marked(): boolean {
    return this.#handled !== undefined
  }
}
