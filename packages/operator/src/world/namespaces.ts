import { BinnacleError } from '@binnacle/core'

const EXACT = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/

/** The namespaces to watch: exact names, or `'*'` for the whole cluster. Each once. */
export function namespacesOf(given: string | readonly string[] | undefined): readonly string[] {
  const names = [...new Set(typeof given === 'string' ? [given] : (given ?? ['*']))]
  if (names.length === 0 || names.includes('*')) return ['*']
  const wrong = names.find((name) => !EXACT.test(name))
  if (wrong === undefined) return names
  throw new BinnacleError('BIN_SETTINGS', {
    message: `${JSON.stringify(wrong)} is not the name of a namespace`,
    hint: "Give exact names, or '*' for the whole cluster.",
  })
}
