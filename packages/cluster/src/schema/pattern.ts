/**
 * Regular expressions, as far as JavaScript reads Kubernetes' syntax (RE2) too.
 * Guarantees: a pattern is compiled once.
 */

export interface Pattern {
  /** Anywhere in the text, unless the pattern is anchored. */
  test(text: string): boolean
  find(text: string): string | undefined
  /** At most `limit` matches that do not overlap; all of them when it is negative. */
  findAll(text: string, limit: number): readonly string[]
}

export class PatternError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PatternError'
  }
}

const known = new Map<string, Pattern>()
const kept = 1000

/** Throws a PatternError whose message is Go's. */
export function pattern(expression: string): Pattern {
  let found = known.get(expression)
  if (!found) {
    found = compiled(expression)
    if (known.size >= kept) known.clear()
    known.set(expression, found)
  }
  return found
}

function compiled(expression: string): Pattern {
  const regex = (() => {
    try {
      return new RegExp(expression, 'gu')
    } catch (error) {
      throw new PatternError((error as Error).message)
    }
  })()
  const findAll = (text: string, limit: number) => (text.match(regex) ?? []).slice(0, limit < 0 ? undefined : limit)
  return { test: (text) => text.search(regex) !== -1, find: (text) => findAll(text, 1)[0], findAll }
}
