/**
 * Regular expressions in RE2's syntax, which is Kubernetes'.
 * Guarantees: the time of a match is linear in the length of the text, whatever the pattern; a pattern is compiled once.
 */
import { createRequire } from 'node:module'
import type { RE2JS as Engine } from 're2js'

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

let engine: typeof Engine | undefined

/** A quarter of a megabyte that most clusters never need: loaded with the first pattern. */
function loaded(): typeof Engine {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof Engine }).RE2JS
  return engine
}

function compiled(expression: string): Pattern {
  const regex = (() => {
    try {
      return loaded().compile(expression)
    } catch (error) {
      throw new PatternError((error as Error).message)
    }
  })()
  const findAll = (text: string, limit: number) => {
    const matcher = regex.matcher(text)
    const found: string[] = []
    while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '')
    return found
  }
  return { test: (text) => regex.matcher(text).find(), find: (text) => findAll(text, 1)[0], findAll }
}
