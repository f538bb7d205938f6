import { BinnacleError } from './errors.ts'

/** Namespace and name of an object; the namespace is empty at cluster scope. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

interface Named {
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined
}

/** `namespace/name`, or `name` at cluster scope. */
export function objectKey(object: Named): string {
  return formatObjectName(objectName(object))
}

export function objectName(object: Named): ObjectName {
  const name = object?.metadata?.name
  if (name === undefined || name === '') {
    throw new BinnacleError('BIN_KEY', {
      message: 'An object without metadata.name has no key',
      hint: 'Only objects that a server has stored can be kept: those with generateName get their name there.',
    })
  }
  return { namespace: object.metadata?.namespace ?? '', name }
}

export function formatObjectName({ namespace, name }: ObjectName): string {
  return namespace === '' ? name : `${namespace}/${name}`
}

/** One segment is a name, two are namespace and name; more are an error. */
export function parseObjectName(key: string): ObjectName {
  const segments = key.split('/')
  const [first = '', second] = segments
  if (segments.length > 2) {
    throw new BinnacleError('BIN_KEY', {
      message: `${JSON.stringify(key)} is not the key of an object: it has ${segments.length} parts`,
      hint: 'Write `name`, or `namespace/name`.',
    })
  }
  return second === undefined ? { namespace: '', name: first } : { namespace: first, name: second }
}
