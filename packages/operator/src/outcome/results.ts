import { copyJson, type FieldKeys, setOwn } from '@binnacle/core'
import type { Result } from '../declare/options.ts'

/** The merge patch that puts a handler's result where it belongs; undefined when there is nothing to put, or no place for it. */
export function resultPatch(result: Result, keys: FieldKeys | undefined): object | undefined {
  if (result === undefined || result === null || keys === undefined) return undefined
  return keys.reduceRight<object | Result>((inner, key) => {
    const outer = {}
    setOwn(outer, key, inner)
    return outer
  }, copyJson(result)) as object
}
