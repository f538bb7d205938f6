import {
  BinnacleError,
  formatObjectName,
  type KubeObject,
  messageOf,
  type ObjectName,
  objectKey,
  objectName,
  parseObjectName,
} from '@binnacle/core'

export { formatObjectName, type ObjectName, parseObjectName }

/** Makes the storage key of an object; deterministic. Throws when the object has none. */
export type KeyFunc<T> = (object: T) => string

/** A key function failed: nothing was stored. `cause` says why, also when nested; `object` is the one without a key. */
export class KeyError extends BinnacleError {
  override readonly name = 'KeyError'
  readonly object: unknown

  constructor(object: unknown, cause: unknown) {
    super('BIN_KEY', {
      message: `No key could be made for an object: ${messageOf(cause)}`,
      hint: 'Look at the key function and at `object` of this error; the store is as it was before.',
      cause,
    })
    this.object = object
  }
}

/** A key given outright, where a key function would be asked. */
export class ExplicitKey {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }
}

/** A deletion that was inferred from a list, not seen: `obj` is the last known state, which may be stale, or undefined. */
export class DeletedFinalStateUnknown<T> {
  readonly key: string
  readonly obj: T | undefined

  constructor(key: string, obj: T | undefined) {
    this.key = key
    this.obj = obj
  }
}

/** `namespace/name`, or `name` at cluster scope. */
export function metaNamespaceKeyFunc(object: KubeObject | ExplicitKey): string {
  return object instanceof ExplicitKey ? object.key : objectKey(object)
}

/** The same, and the stored key of a tombstone. */
export function deletionHandlingMetaNamespaceKeyFunc(
  object: KubeObject | ExplicitKey | DeletedFinalStateUnknown<KubeObject>,
): string {
  return object instanceof DeletedFinalStateUnknown ? object.key : metaNamespaceKeyFunc(object)
}

/** One segment is a name, two are namespace and name; more are an error. */
export function splitMetaNamespaceKey(key: string): ObjectName {
  return parseObjectName(key)
}

export function objectToName(object: KubeObject): ObjectName {
  return objectName(object)
}

/** The same; of a tombstone, what its key says. */
export function deletionHandlingObjectToName(object: KubeObject | DeletedFinalStateUnknown<KubeObject>): ObjectName {
  return object instanceof DeletedFinalStateUnknown ? parseObjectName(object.key) : objectName(object)
}

/** The key of an object, with a failure told as KeyError. */
export function keyOf<T>(keyFunc: KeyFunc<T>, object: T): string {
  try {
    return keyFunc(object)
  } catch (error) {
    throw error instanceof KeyError ? error : new KeyError(object, error)
  }
}
