import { digest } from '../cause/digest.ts'

/** Kubernetes' limit for the name part of an annotation's key. */
const LONGEST_NAME = 63
const VALID_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

/**
 * A key for something of ours in the annotations of an object.
 * Guarantees: valid for Kubernetes whatever the name; different names give different keys.
 */
export function annotationKey(prefix: string, name: string): string {
  if (name.length <= LONGEST_NAME && VALID_NAME.test(name)) return `${prefix}/${name}`
  const suffix = digest(name)
    .replace(/[^A-Za-z0-9]/g, '')
    .slice(0, 8)
  const readable = name
    .replaceAll('/', '.')
    .replace(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST_NAME - suffix.length - 1)
  return readable === '' ? `${prefix}/${suffix}` : `${prefix}/${readable}-${suffix}`
}

/** What an annotation holds; undefined when it is absent or, because somebody edited it, not what we wrote. */
export function readAnnotation(annotations: { readonly [key: string]: string } | undefined, key: string): unknown {
  const text = annotations && Object.hasOwn(annotations, key) ? annotations[key] : undefined
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
