import { BinnacleError } from '@binnacle/core'

/** A name, a pattern with `*` and `?`, either with `!` before it to exclude, several of them parted by commas; or a regular expression. */
export type NamespacePattern = string | RegExp

/** Which namespaces an operator is about. */
export type NamespaceScope =
  /** The whole cluster by one watch for each kind. */
  | { readonly sort: 'cluster' }
  /** These, whether they exist or not. Nothing has to be asked about namespaces. */
  | { readonly sort: 'exact'; readonly names: readonly string[] }
  /** Those that match, as they come and go. `named`: those that match by their very name, which are known without asking. */
  | { readonly sort: 'patterns'; readonly matches: (name: string) => boolean; readonly named: readonly string[] }

/** One step of a pattern. The last one that fits a name decides. */
interface Step {
  readonly text: string
  readonly excludes: boolean
  readonly fits: (name: string) => boolean
  readonly exact: boolean
}

const EXACT = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/
const GLOB = /^[a-z0-9*?-]+$/

/**
 * What was given as `namespaces`.
 * Guarantees: of all names and patterns, in the order in which they stand, the last one that fits a name decides; a list that begins with
 * an exclusion begins with all; what can be no namespace is refused.
 */
export function namespaceScope(given: NamespacePattern | readonly NamespacePattern[] | undefined): NamespaceScope {
  const patterns = given === undefined ? ['*'] : typeof given === 'string' || given instanceof RegExp ? [given] : given
  const steps = patterns.flatMap(stepsOf)
  const [first] = steps
  if (first === undefined || steps.every(({ text }) => text === '*')) return { sort: 'cluster' }
  if (steps.every(({ exact, excludes }) => exact && !excludes)) {
    return { sort: 'exact', names: [...new Set(steps.map(({ text }) => text))] }
  }
  const matches = (name: string) => {
    const last = steps.findLast(({ fits }) => fits(name))
    return last === undefined ? first.excludes : !last.excludes
  }
  const named = steps.filter(({ exact, excludes }) => exact && !excludes).map(({ text }) => text)
  return { sort: 'patterns', matches, named: [...new Set(named)].filter(matches) }
}

function stepsOf(pattern: NamespacePattern): readonly Step[] {
  if (pattern instanceof RegExp) return [whole(pattern)]
  return pattern.split(',').map((part) => stepOf(part.trim()))
}

/** As Kopf has it: a regular expression must fit the whole name. */
function whole(pattern: RegExp): Step {
  const full = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gy]/g, ''))
  return { text: String(pattern), excludes: false, exact: false, fits: (name) => full.test(name) }
}

function stepOf(text: string): Step {
  const excludes = text.startsWith('!')
  const glob = excludes ? text.slice(1).trim() : text
  if (EXACT.test(glob)) return { text: glob, excludes, exact: true, fits: (name) => name === glob }
  if (!GLOB.test(glob)) throw unusable(text)
  const source = glob.replaceAll('*', '.*').replaceAll('?', '.')
  const pattern = new RegExp(`^${source}$`)
  return { text, excludes, exact: false, fits: (name) => pattern.test(name) }
}

function unusable(text: string): BinnacleError {
  return new BinnacleError('BIN_SETTINGS', {
    message: `${JSON.stringify(text)} is not the name of a namespace, nor a pattern`,
    hint: "Give exact names, patterns such as 'apps-*', exclusions such as '!apps-test', or '*' for the whole cluster.",
  })
}
