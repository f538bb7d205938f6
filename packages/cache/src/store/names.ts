import type { Cell } from './cell.ts'

interface Named {
  readonly metadata?: { readonly namespace?: string; readonly name?: string }
}

/**
 * The cell of an object, by its namespace and its name. The key says the same, but to make it, a new string that has to be hashed, costs
 * more than all the rest of an update.
 * Guarantees: what is found is the cell whose key is made of that namespace and that name. Keys that could be made of others as well, since a
 * part of them contains a slash, are not found here.
 */
export class CellsByName<T> {
  /** Never holds an empty map. */
  readonly #namespaces = new Map<string, Map<string, Cell<T>>>()
  /** Where something was found last: what comes together, as in a list, mostly shares its namespace. */
  #recent: { readonly namespace: string; readonly names: ReadonlyMap<string, Cell<T>> } | undefined

  find(object: unknown): Cell<T> | undefined {
    const metadata = (object as Named | null | undefined)?.metadata
    if (metadata?.name === undefined) return undefined
    const namespace = metadata.namespace ?? ''
    return (this.#recent?.namespace === namespace ? this.#recent.names : this.#namesIn(namespace))?.get(metadata.name)
  }

  add(cell: Cell<T>): void {
    const parts = partsOf(cell.key)
    if (!parts) return
    const name = ownName(cell.object, parts.name)
    const names = this.#namespaces.get(parts.namespace)
    if (names) names.set(name, cell)
    else this.#namespaces.set(parts.namespace, new Map([[name, cell]]))
  }

  delete({ key }: Cell<T>): void {
    const parts = partsOf(key)
    if (!parts) return
    const names = this.#namespaces.get(parts.namespace)
    if (names?.delete(parts.name) && names.size === 0) {
      this.#namespaces.delete(parts.namespace)
      this.#recent = undefined
    }
  }

  #namesIn(namespace: string): ReadonlyMap<string, Cell<T>> | undefined {
    const names = this.#namespaces.get(namespace)
    if (names) this.#recent = { namespace, names }
    return names
  }

  /** What contradicts the guarantees, given all cells of the store. Property tests call it after every step. */
  broken(cells: readonly Cell<T>[]): string[] {
    const due = new Set(cells.filter(({ key }) => partsOf(key)))
    const found = [...this.#namespaces.values()].flatMap((names) => [...names.values()])
    const wrong = found.filter((cell) => !due.delete(cell))
    return [
      ...[...this.#namespaces].filter(([, names]) => names.size === 0).map(([name]) => `no names in ${name}`),
      ...wrong.map(({ key }) => `left over by name: ${key}`),
      ...[...due].map(({ key }) => `missing by name: ${key}`),
    ]
  }
}

/** The object has the same name already: another string, a slice of the key, would be kept beside it. */
function ownName(object: unknown, name: string): string {
  const own = (object as Named | null | undefined)?.metadata?.name
  return own === name ? own : name
}

function partsOf(key: string): { readonly namespace: string; readonly name: string } | undefined {
  const slash = key.indexOf('/')
  if (slash === -1) return { namespace: '', name: key }
  const isClear = slash > 0 && slash < key.length - 1 && key.indexOf('/', slash + 1) === -1
  return isClear ? { namespace: key.slice(0, slash), name: key.slice(slash + 1) } : undefined
}
