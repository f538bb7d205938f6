import { isPlainObject, type KubeObject } from '@binnacle/core'
import { annotationKey, readAnnotation } from './annotations.ts'
import type { Progress } from './progress.ts'

/** Annotations to write; null removes one. */
export type AnnotationChanges = { [key: string]: string | null }

/** Where progress is kept. */
export interface ProgressStorage {
  fetch(id: string, body: KubeObject): Progress | undefined
  store(id: string, record: Progress, body: KubeObject, changes: AnnotationChanges): void
  purge(id: string, body: KubeObject, changes: AnnotationChanges): void
}

/** Progress in annotations, one for each handler, so that an object carries only what is under way. */
export function annotationsProgress(prefix: string): ProgressStorage {
  const keyOf = (id: string) => annotationKey(prefix, `progress.${id}`)
  return {
    fetch(id, body) {
      const record = readAnnotation(body.metadata.annotations, keyOf(id))
      return isProgress(record) ? record : undefined
    },
    store(id, record, body, changes) {
      const text = JSON.stringify(record)
      if (body.metadata.annotations?.[keyOf(id)] !== text) changes[keyOf(id)] = text
    },
    purge(id, body, changes) {
      if (body.metadata.annotations?.[keyOf(id)] !== undefined) changes[keyOf(id)] = null
      else delete changes[keyOf(id)]
    },
  }
}

/** Annotations can be edited by hand: a time that is none, or a number of attempts that is none, would spoil every wait made of it. */
function isProgress(record: unknown): record is Progress {
  if (!isPlainObject(record)) return false
  const { started, delayed, retries, subrefs } = record
  return (
    isTime(started) &&
    (delayed === undefined || isTime(delayed)) &&
    Number.isSafeInteger(retries) &&
    Number(retries) >= 0 &&
    (subrefs === undefined || (Array.isArray(subrefs) && subrefs.every((id) => typeof id === 'string')))
  )
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value))
}
