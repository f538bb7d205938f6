import { deepEqual, isPlainObject, type KubeObject } from '@binnacle/core'
import type { Essence } from '../cause/essence.ts'
import { annotationKey, readAnnotation } from './annotations.ts'
import type { AnnotationChanges } from './store.ts'

/** Where the state that was handled last is kept: what the next change is compared with. */
export interface DiffBaseStorage {
  fetch(body: KubeObject): Essence | undefined
  store(body: KubeObject, essence: Essence, changes: AnnotationChanges): void
}

/** The last-handled state in an annotation, written only when it differs. */
export function annotationsDiffBase(prefix: string): DiffBaseStorage {
  const key = annotationKey(prefix, 'last-handled-configuration')
  const fetch = (body: KubeObject): Essence | undefined => {
    const essence = readAnnotation(body.metadata.annotations, key)
    return isPlainObject(essence) ? essence : undefined
  }
  return {
    fetch,
    store(body, essence, changes) {
      if (!deepEqual(fetch(body), essence)) changes[key] = JSON.stringify(essence)
    },
  }
}
