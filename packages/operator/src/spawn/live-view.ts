/**
 * A view that follows what it is a view of: each read asks for the newest state, also after it was destructured out of a context.
 * Guarantees: read-only; behaves as a plain object for reading, listing and serialising.
 */
export function liveView(current: () => object): object {
  return new Proxy(
    {},
    {
      get: (_, key) => Reflect.get(current(), key),
      has: (_, key) => Reflect.has(current(), key),
      ownKeys: () => Reflect.ownKeys(current()),
      getOwnPropertyDescriptor(_, key) {
        const descriptor = Reflect.getOwnPropertyDescriptor(current(), key)
        return (
          descriptor && { value: Reflect.get(current(), key), enumerable: true, configurable: true, writable: false }
        )
      },
      set: refuse,
      defineProperty: refuse,
      deleteProperty: refuse,
      setPrototypeOf: refuse,
      preventExtensions: refuse,
    },
  )
}

function refuse(_: object, key?: unknown): never {
  const field = typeof key === 'string' ? `"${key}"` : 'it'
  throw new TypeError(`This is a view of the object, and ${field} cannot be changed here: write into \`patch\``)
}
