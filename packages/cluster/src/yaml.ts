/** YAML in and out, always by way of JSON, so that both have the same guards. */
import { createRequire } from 'node:module'
import { type Json, parseJson, printJson } from './json.ts'

const require = createRequire(import.meta.url)
/** Read when the first YAML comes, which is after the start for nearly everybody: it is a quarter of all that would be read before. */
const yaml = (): typeof import('yaml') => require('yaml')

/** Throws a SyntaxError, or the parser's own error; both have messages fit for the client. */
export function parseYaml(text: string): Json {
  // Most clients send JSON where YAML is asked for, and JSON is read thirty times faster.
  const json = /^\s*\{/.test(text) ? plainJson(text) : undefined
  if (json !== undefined) return json
  // As Go reads it: words and numbers of YAML 1.1, the last of equal keys, and nothing behind the first document.
  const options = { intAsBigInt: longNumber.test(text), version: '1.1', uniqueKeys: false } as const
  const [first] = yaml().parseAllDocuments(text, options)
  const [error] = first && 'errors' in first ? first.errors : []
  if (error) throw error
  return parseJson(printJson((first && 'toJS' in first ? first.toJS() : null) ?? null))
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
  const text = yaml().stringify(value, { sortMapEntries: true, lineWidth: 0, version: '1.1', indentSeq: false })
  return text.replace(/^.*$/gm, asGoPrints)
}

const awkward = /: |:$| #|^[-?:,[\]{}#&*!|>'%@`]/
const quotedLine = /^(\s*(?:- )*(?:[^\s:"']+: )?)"([^"\\]*)"$/
const width = 80

/** The habits of Go's printer: which quotes it takes, that it leaves "." bare, and where it breaks a long line. */
function asGoPrints(line: string): string {
  const bare = line.replace(/^(\s*(?:- )*)(?:"\."|'\.'):/, '$1.:')
  const match = quotedLine.exec(bare)
  const [, head = '', body = ''] = match ?? []
  const single = match && awkward.test(body) ? `${head}'${body.replaceAll("'", "''")}'` : bare
  return single.length > width ? folded(single) : single
}

/** At the first space behind the width; what follows is indented below its key. */
function folded(line: string): string {
  const at = line.indexOf(' ', width)
  if (at === -1 || /"$/.test(line)) return line
  const indent = ' '.repeat((/^\s*/.exec(line)?.[0].length ?? 0) + 2)
  return `${line.slice(0, at)}\n${folded(indent + line.slice(at + 1))}`
}
