/**
 * The parts of the style that a machine can see. Limits are a ratchet, not a wall: what was over a limit when it was
 * recorded in style-ratchet.json may stay, and shrink, but not grow.
 *
 *     npm run check -- --only style --record    record what is over a limit now
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { command, root } from './command.mjs'

const RATCHET = 'scripts/style-ratchet.json'
const FILE_LIMIT = 300
const FUNCTION_LIMIT = 70
const VAGUE_NAMES = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'misc'])
const TEST_FUNCTIONS = new Set(['it', 'test', 'describe'])
const SKIPPING = new Set(['only', 'skip', 'todo'])
/** Spelled apart, so that this file does not find itself. */
const UNFINISHED = [
  new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`),
  /Error\(.*not (yet )?implemented/i,
]

/** @typedef {{ readonly path: string, readonly text: string }} Source */
/** @typedef {Record<string, number>} Sizes what is over a limit: a file, or file#function, and its lines */

/** @param {Source} source */
const parse = ({ path, text }) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)

/** @param {string} path */
const isTest = (path) => /\.test\.ts$|\/test\//.test(path)

/** Lines that hold code: neither blank nor comment alone. Guarantees and documentation do not count. @param {ts.SourceFile} file */
function codeLines(file) {
  const lines = new Set()
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isJSDoc(node)) return
    if (node.getChildCount(file) === 0 && node.getWidth(file) > 0) {
      const first = file.getLineAndCharacterOfPosition(node.getStart(file)).line
      const last = file.getLineAndCharacterOfPosition(node.getEnd()).line
      for (let line = first; line <= last; line++) lines.add(line)
    }
    for (const child of node.getChildren(file)) visit(child)
  }
  visit(file)
  return lines.size
}

/** @param {ts.Node} node @returns {node is ts.FunctionLikeDeclaration} */
const hasBody = (node) => ts.isFunctionLike(node) && 'body' in node && node.body !== undefined

/** @param {ts.FunctionLikeDeclaration} node @param {ts.SourceFile} file */
function nameOf(node, file) {
  const { name, parent } = node
  if (name !== undefined) return name.getText(file)
  if (ts.isConstructorDeclaration(node)) return 'constructor'
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText(file) : 'anonymous'
}

/** @param {Source} source @returns {Sizes} */
export function sizes(source) {
  const file = parse(source)
  /** @type {Sizes} */
  const over = {}
  const total = codeLines(file)
  if (total > FILE_LIMIT) over[source.path] = total
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (hasBody(node) && node.body !== undefined) {
      const [from, to] = [node.body.getStart(file), node.body.getEnd()].map(
        (at) => file.getLineAndCharacterOfPosition(at).line,
      )
      const lines = (to ?? 0) - (from ?? 0) + 1
      if (lines > FUNCTION_LIMIT) over[`${source.path}#${nameOf(node, file)}`] = lines
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return over
}

/** @param {Sizes} now @param {Sizes} recorded @returns {string[]} */
export function grown(now, recorded) {
  return Object.entries(now)
    .filter(([place, lines]) => lines > (recorded[place] ?? 0))
    .map(([place, lines]) => {
      const limit = place.includes('#') ? FUNCTION_LIMIT : FILE_LIMIT
      const before = recorded[place] === undefined ? `the limit is ${limit}` : `it was ${recorded[place]}`
      return `${place} has ${lines} lines of code, ${before}: branches in the parent, straight work in functions of their own.`
    })
}

/** @param {Source} source @returns {string[]} tests that are left out, or that leave others out */
export function skippedTests(source) {
  const file = parse(source)
  /** @type {string[]} */
  const found = []
  /** @param {ts.Node} node */
  const visit = (node) => {
    if (
      ts.isPropertyAccessExpression(node) &&
      SKIPPING.has(node.name.text) &&
      TEST_FUNCTIONS.has(node.expression.getText(file))
    ) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
      found.push(`${source.path}:${line + 1} uses ${node.getText(file)}: a test runs or it goes.`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** @param {Source} source @returns {string[]} */
export function unfinished({ path, text }) {
  const lines = text.split('\n')
  return lines.flatMap((line, at) =>
    UNFINISHED.some((sign) => sign.test(line)) ? [`${path}:${at + 1} leaves something open: ${line.trim()}`] : [],
  )
}

/** @param {string} path @returns {string[]} */
export function vagueName(path) {
  const name = basename(path).replace(/\..*$/, '')
  return VAGUE_NAMES.has(name)
    ? [`${path} is named after nothing in particular: name it after the one idea that it holds.`]
    : []
}

/** Everything written by hand that git knows of or would add. @returns {Promise<Source[]>} */
async function sources() {
  const { output } = await command('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'])
  const paths = output
    .split('\0')
    .filter((path) => /\.(ts|mjs|cjs|js)$/.test(path) && !/(^|\/)(generated|fixtures)\//.test(path))
  const found = paths.flatMap((path) => {
    try {
      return [{ path, text: readFileSync(join(root, path), 'utf8') }]
    } catch {
      return [] // Deleted, but git has not been told yet.
    }
  })
  return found.filter(({ text }) => !text.startsWith('/* Generated by '))
}

/** @param {boolean} record whether to take the present sizes as the new record @returns {Promise<string[]>} */
export async function checkStyle(record) {
  const all = await sources()
  const shipped = all.filter(({ path }) => !isTest(path))
  const now = Object.assign(Object.create(null), ...shipped.map(sizes))
  if (record) writeFileSync(join(root, RATCHET), `${JSON.stringify(now, Object.keys(now).sort(), 2)}\n`)
  const recorded = JSON.parse(readFileSync(join(root, RATCHET), 'utf8'))
  return [
    ...grown(now, recorded),
    ...all.filter(({ path }) => isTest(path)).flatMap(skippedTests),
    ...all.flatMap(unfinished),
    ...all.flatMap(({ path }) => vagueName(path)),
  ]
}
