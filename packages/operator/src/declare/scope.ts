/**
 * What a set of handlers has of its own. Its handlers see these indices under their names, and a memory of each object that nobody
 * else sees.
 */
export interface Scope {
  readonly name: string
  /** The name in contexts, and the name in the operator. */
  readonly indices: ReadonlyMap<string, string>
  /** Makes the memory of an object when it is first asked for. */
  readonly makeMemo: () => object
}

/** The views that belong into contexts of the scope, by the names that they have there. */
export function viewsWithin<V>(
  views: { readonly [name: string]: V },
  indices: ReadonlyMap<string, string>,
): { readonly [name: string]: V } {
  return Object.fromEntries([...indices].map(([name, global]) => [name, views[global]])) as { [name: string]: V }
}
