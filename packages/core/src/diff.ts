import { deepEqual } from './equal.ts'
import { type FieldKeys, fieldKeys, valueAt } from './field-path.ts'
import { getOwn, isPlainObject } from './hostile.ts'

/** One difference. `path` is relative to what is compared; lists and scalars are compared whole. */
export interface DiffItem {
  readonly op: 'add' | 'change' | 'remove'
  readonly path: readonly string[]
  readonly old: unknown
  readonly new: unknown
}

/** The differences between `old` and `new`, in a fixed order: by path. */
export interface Diff extends ReadonlyArray<DiffItem> {
  /** Whether this field, something in it, or something around it differs. */
  touches(field: string | FieldKeys): boolean
}

/**
 * The differences between two values.
 * Guarantees: deterministic, by path in the order of code units; null is the same as absent; mappings are compared member by member,
 * lists and scalars whole.
 */
export function diff(old: unknown, current: unknown): Diff {
  const items: DiffItem[] = []
  collect(items, [], old ?? undefined, current ?? undefined)
  return diffOf(items)
}

/** The differences within one field, with paths relative to it. */
export function diffWithin(old: unknown, current: unknown, field: string | FieldKeys): Diff {
  const keys = fieldKeys(field)
  return diff(valueAt(old, keys), valueAt(current, keys))
}

function diffOf(items: DiffItem[]): Diff {
  const touches = (field: string | FieldKeys) => {
    const keys = fieldKeys(field)
    return items.some(({ path }) => startsWith(path, keys) || startsWith(keys, path))
  }
  // Not enumerable: a list with a function among its members can neither be compared with a list nor sent to a worker thread.
  return Object.defineProperty(items, 'touches', { value: touches }) as readonly DiffItem[] as Diff
}

function startsWith(path: FieldKeys, beginning: FieldKeys): boolean {
  return beginning.length <= path.length && beginning.every((key, i) => path[i] === key)
}

function collect(items: DiffItem[], path: readonly string[], old: unknown, current: unknown): void {
  if (isPlainObject(old) && isPlainObject(current)) {
    // Most of what is compared is equal, and to see that takes neither paths nor an order.
    if (deepEqual(old, current)) return
    for (const key of keysOfBoth(old, current)) {
      collect(items, [...path, key], getOwn(old, key) ?? undefined, getOwn(current, key) ?? undefined)
    }
  } else if (old === undefined) {
    if (current !== undefined) items.push({ op: 'add', path, old, new: current })
  } else if (current === undefined) {
    items.push({ op: 'remove', path, old, new: current })
  } else if (!deepEqual(old, current)) {
    items.push({ op: 'change', path, old, new: current })
  }
}

function keysOfBoth(old: object, current: object): string[] {
  return [...new Set([...Object.keys(old), ...Object.keys(current)])].sort()
}
