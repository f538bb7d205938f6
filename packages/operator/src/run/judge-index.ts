import type { Runtime } from '@binnacle/core'
import type { IndexingDeps } from '../index/indexing.ts'
import { PermanentError, TemporaryError } from './errors.ts'
import { judge } from './execute.ts'

/** The rules for errors of handlers, for indexing functions. */
export function indexJudge({ clock, random }: Runtime): IndexingDeps['judge'] {
  return (index, attempts, error) => {
    const judgement = judge(index, attempts, error, { clock, random, defaultBackoff: index.backoff })
    return { ...judgement, expected: error instanceof PermanentError || error instanceof TemporaryError }
  }
}
