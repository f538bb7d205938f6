import { BinnacleError } from '@binnacle/core'
import type { IndexKey } from '../declare/index-handler.ts'

/**
 * A key as a string, equal for equal keys and different for different ones: scalars by type and value, tuples by their items.
 * Throws for what is no key.
 * A Map compares arrays by identity; by this string they are compared by value.
 */
export function internKey(key: IndexKey): string {
  return Array.isArray(key) ? `[${key.map(internScalar).join(',')}]` : internScalar(key)
}

function internScalar(scalar: unknown): string {
  switch (typeof scalar) {
    case 'number':
      // -0 and 0 are one key, as in a Map; JSON gives them one text too.
      return Number.isFinite(scalar) ? JSON.stringify(scalar) : `#${scalar}`
    case 'string':
    case 'boolean':
      return JSON.stringify(scalar)
    default:
      if (scalar === null) return 'null'
      throw noKey(scalar)
  }
}

function noKey(value: unknown): BinnacleError {
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return new BinnacleError('BIN_DECLARATION', {
    message: `${shown} cannot be the key of an index`,
    hint: 'Keys are strings, numbers, booleans, null, and lists of these.',
  })
}
