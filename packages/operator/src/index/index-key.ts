import type { IndexKey } from '../declare/index-handler.ts'

/**
 * A key as a string, equal for equal keys and different for different ones: scalars by type and value, tuples by their items.
 * A Map compares arrays by identity; by this string they are compared by value.
 */
export function internKey(key: IndexKey): string {
  return Array.isArray(key)
    ? `[${key.map(internScalar).join(',')}]`
    : internScalar(key as string | number | boolean | null)
}

function internScalar(scalar: string | number | boolean | null): string {
  // -0 and 0 are one key, as in a Map; JSON gives them one text too.
  return typeof scalar === 'number' && !Number.isFinite(scalar) ? `#${scalar}` : JSON.stringify(scalar)
}
