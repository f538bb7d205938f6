import { BinnacleError } from '@binnacle/core'
import type { IndexKey } from '../declare/index-handler.ts'

/** What a Map can compare by identity. */
export type InternedKey = string | number | boolean | null

/** No name in Kubernetes begins with it, so that hardly any key has to be written anew. */
const ESCAPE = '\u0000'

/**
 * A key that is identical for equal keys and different for different ones: a Map compares arrays by identity, so tuples become strings.
 * Scalars stay what they are, which makes the common lookup the cheapest. Throws for what is no key.
 */
export function internKey(key: IndexKey): InternedKey {
  if (Array.isArray(key)) return `${ESCAPE}[${key.map(internScalar).join(',')}]`
  switch (typeof key) {
    case 'string':
      return key.startsWith(ESCAPE) ? `${ESCAPE}"${key}` : key
    case 'number':
      return Number.isNaN(key) ? `${ESCAPE}#NaN` : key
    case 'boolean':
      return key
    default:
      if (key === null) return null
      throw noKey(key)
  }
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
