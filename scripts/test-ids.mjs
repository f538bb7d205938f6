/**
 * Every rule of the cache has a test that cites its id in its name. The ids and what they mean are in test-ids.json.
 *
 *     node scripts/test-ids.mjs          prints ids without a test, and ids in test names that mean nothing
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { command, root } from './checks/command.mjs'

const LIST = 'scripts/test-ids.json'
/** `rule` names a test that several implementations run. */
const TEST_FUNCTIONS = new Set(['it', 'test', 'rule'])
const ID = /\b([A-Z]{2})(\d+|-ours)\b(?: to \1(\d+)\b)?/g

/** The ids in a test's name; `RF28 to RF33` is six of them. @param {string} name @returns {string[]} */
export function idsIn(name) {
  return [...name.matchAll(ID)].flatMap(([, area = '', from = '', to]) => {
    if (to === undefined) return [`${area}${from}`]
    const [first, last] = [Number(from), Number(to)]
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => `${area}${first + i}`)
  })
}

/** The names of the tests in a source, `it.each` included. @param {string} path @param {string} text @returns {string[]} */
export function testNames(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  /** @type {string[]} */
  const names = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isCallExpression(node) && isTestFunction(node.expression, file)) {
      const [name] = node.arguments
      if (name && (ts.isStringLiteralLike(name) || ts.isTemplateExpression(name))) names.push(name.getText(file))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return names
}

/** `it`, or `it.each(…)`. @param {ts.Expression} called @param {ts.SourceFile} file @returns {boolean} */
function isTestFunction(called, file) {
  if (ts.isIdentifier(called)) return TEST_FUNCTIONS.has(called.text)
  return ts.isCallExpression(called) && /^(it|test)\.each$/.test(called.expression.getText(file))
}

/**
 * @param {readonly string[]} known @param {Iterable<string>} cited
 * @returns {{ readonly missing: string[], readonly unknown: string[] }}
 */
export function compare(known, cited) {
  const found = new Set(cited)
  return { missing: known.filter((id) => !found.has(id)), unknown: [...found].filter((id) => !known.includes(id)) }
}

/** @returns {Promise<string[]>} one sentence for each fault */
export async function checkTestIds() {
  /** @type {Record<string, string>} */
  const meanings = JSON.parse(readFileSync(join(root, LIST), 'utf8'))
  const { output } = await command('git', ['ls-files', '-co', '--exclude-standard', 'packages/cache', 'conformance'])
  const paths = output.split('\n').filter((path) => path.endsWith('.ts'))
  const names = paths.flatMap((path) => testNames(path, readFileSync(join(root, path), 'utf8')))
  const { missing, unknown } = compare(Object.keys(meanings), names.flatMap(idsIn))
  const areas = new Set(Object.keys(meanings).map((id) => id.slice(0, 2)))
  return [
    ...missing.map((id) => `${id} has no test: ${meanings[id]}. Name it in the test that shows this.`),
    ...unknown
      .filter((id) => areas.has(id.slice(0, 2)))
      .map((id) => `A test cites ${id}, which ${LIST} does not know.`),
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = await checkTestIds()
  for (const fault of faults) console.log(fault)
  console.log(`${Object.keys(JSON.parse(readFileSync(join(root, LIST), 'utf8'))).length} ids, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
