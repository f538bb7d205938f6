/** Patterns, in the syntax and with the linear running time of RE2. */

import { pattern } from '../../schema/pattern.ts'
import { type Overload, overloads } from '../function.ts'

export const regexes = (): readonly Overload[] =>
  overloads({
    'matches(string, string) -> bool': (text: string, expression: string) => pattern(expression).test(text),
    'string.matches(string) -> bool': (text: string, expression: string) => pattern(expression).test(text),
    'string.find(string) -> string': (text: string, expression: string) => pattern(expression).find(text) ?? '',
    'string.findAll(string) -> list(string)': (text: string, expression: string) =>
      pattern(expression).findAll(text, -1),
    'string.findAll(string, int) -> list(string)': (text: string, expression: string, limit: bigint) =>
      pattern(expression).findAll(text, Number(limit)),
  })
