/** YAML in and out, always by way of JSON, so that both have the same guards. */
import { parse, stringify } from 'yaml'
import { type Json, parseJson, printJson } from './json.ts'

/** Throws a SyntaxError, or the parser's own error; both have messages fit for the client. */
export function parseYaml(text: string): Json {
  // Most clients send JSON where YAML is asked for, and JSON is read thirty times faster.
  const json = /^\s*\{/.test(text) ? plainJson(text) : undefined
  if (json !== undefined) return json
  return parseJson(printJson(parse(text, { intAsBigInt: longNumber.test(text) }) ?? null))
}

function plainJson(text: string): Json | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

const longNumber = /\d{16}/

/** Keys sorted; strings that older readers would take for times, numbers or booleans are quoted. */
export function yamlText(value: unknown): string {
  return stringify(value, { sortMapEntries: true, lineWidth: 0, version: '1.1', indentSeq: false })
}
