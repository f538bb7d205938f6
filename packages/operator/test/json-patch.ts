/**
 * A JSON patch applied the way an API server applies it, written apart from the code under test.
 * As in Kubernetes, a test for null holds where the member is absent.
 */
export type Operation = { readonly op: string; readonly path: string; readonly value?: unknown }

export class TestFailed extends Error {}

export function patched<T>(document: T, operations: readonly Operation[]): T {
  const copy = structuredClone({ root: document }) as Record<string, unknown>
  for (const operation of operations) apply(copy, operation)
  return copy['root'] as T
}

function apply(document: Record<string, unknown>, { op, path, value }: Operation): void {
  const keys = [
    'root',
    ...path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
  ]
  const last = keys.pop() as string
  let parent: Record<string, unknown> = document
  for (const key of keys) {
    const next = parent[key]
    if (typeof next !== 'object' || next === null) throw new TestFailed(`${path}: nothing at ${key}`)
    parent = next as Record<string, unknown>
  }
  switch (op) {
    case 'test':
      if (canonical(parent[last] ?? null) !== canonical(value)) throw new TestFailed(`${path} is not as expected`)
      return
    case 'add':
      parent[last] = structuredClone(value)
      return
    case 'replace':
      if (!(last in parent)) throw new TestFailed(`${path}: nothing to replace`)
      parent[last] = structuredClone(value)
      return
    case 'remove':
      if (!(last in parent)) throw new TestFailed(`${path}: nothing to remove`)
      delete parent[last]
      return
    default:
      throw new Error(`${op} is not expected here`)
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}
