/**
 * A view that follows what it is a view of: each read asks for the newest state, also after it was destructured out of a context.
 * Guarantees: read-only; behaves as a plain object for reading, listing and serialising.
 */
export function liveView(current: () => object): object {
  return new Proxy(new Source(current), HANDLER)
}

/** What a view is of. Nothing of it is visible through the view. */
class Source {
  readonly #current: () => object

  constructor(current: () => object) {
    this.#current = current
  }

  static current(source: Source): object {
    return source.#current()
  }
}

const { current } = Source

/** One for all views: there may be six of them for each object that a daemon accompanies. */
const HANDLER: ProxyHandler<Source> = {
  get: (source, key) => Reflect.get(current(source), key),
  has: (source, key) => Reflect.has(current(source), key),
  ownKeys: (source) => Reflect.ownKeys(current(source)),
  getOwnPropertyDescriptor(source, key) {
    const state = current(source)
    const descriptor = Reflect.getOwnPropertyDescriptor(state, key)
    return descriptor && { value: Reflect.get(state, key), enumerable: true, configurable: true, writable: false }
  },
  getPrototypeOf: () => Object.prototype,
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
}

function refuse(_: object, key?: unknown): never {
  const field = typeof key === 'string' ? `"${key}"` : 'it'
  throw new TypeError(`This is a view of the object, and ${field} cannot be changed here: write into \`patch\``)
}
