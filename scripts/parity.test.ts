import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/**
 * The parity tables are promises: each row names the test that keeps it, and each of those tests is there.
 * A test is named as K `002-filters` "a part of its sentence": a letter for the folder, the file, the title.
 */

const root = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS: { readonly [letter: string]: string } = {
  K: 'conformance/kopf',
  E: 'conformance/end-to-end',
  O: 'packages/operator',
  T: 'packages/testing/test',
  C: 'packages/client',
  B: 'packages/core/src',
  R: 'packages/cache/src',
  L: 'packages/cli/src',
  X: 'examples',
  W: 'conformance/workers',
}
const REFERENCE = /\b([A-Z]) `([^`]+)` "([^"]+)"/g
const TITLE = /(?:it|describe)(?:\.each)?\(|\]\)?(?: as const\))?\(|^\s*\[?['"`]|^\s*test\(/

interface Row {
  readonly section: string
  readonly cells: readonly string[]
}

/** The rows of all tables, without their heads. */
function rowsOf(path: string): readonly Row[] {
  const rows: Row[] = []
  let section = ''
  for (const line of readFileSync(join(root, path), 'utf8').split('\n')) {
    if (line.startsWith('#')) section = line.replace(/^#+ /, '')
    if (!line.startsWith('| ') || /^\|[-| ]+\|$/.test(line) || /^\| (rule|section) /.test(line)) continue
    rows.push({ section, cells: line.slice(2, -2).split(' | ') })
  }
  return rows
}

function isThere(folder: string, file: string, title: string): boolean {
  const path = [`${file}.test.ts`, `${file}/example.test.ts`, `src/${file}.test.ts`].map((each) =>
    join(root, folder, each),
  )
  const found = path.find((each) => existsSync(each))
  if (found === undefined) return false
  const lines = readFileSync(found, 'utf8').replaceAll("\\'", "'").split('\n')
  return lines.some((line) => TITLE.test(line) && line.includes(title))
}

function missing(cell: string): readonly string[] {
  return [...cell.matchAll(REFERENCE)]
    .filter(([, letter = '', file = '', title = '']) => !isThere(FOLDERS[letter] ?? letter, file, title))
    .map(([reference]) => reference)
}

describe('docs/parity-kopf.md', () => {
  const rows = rowsOf('docs/parity-kopf.md')

  it('walks through the rules', () => {
    expect(rows.length).toBeGreaterThan(100)
  })

  it('has no row without a test', () => {
    const bare = rows.filter(
      ({ cells }) => cells.length !== 3 || [...(cells[2] ?? '').matchAll(REFERENCE)].length === 0,
    )
    expect(bare.map(({ section, cells }) => `${section}: ${cells[0]}`)).toEqual([])
  })

  it('names tests that are there', () => {
    expect(rows.flatMap(({ cells }) => missing(cells[2] ?? ''))).toEqual([])
  })
})

describe('docs/parity-specification.md', () => {
  const of = (document: string) =>
    rowsOf('docs/parity-specification.md').filter(({ section }) => section.startsWith(document))

  it.each([
    ['000', 35],
    ['002', 20],
    ['004', 30],
  ])('names a test for each promise of document %s, and each of them is there', (document, atLeast) => {
    const rows = of(document)
    expect(rows.length).toBeGreaterThanOrEqual(atLeast)
    const bare = rows.filter(({ cells }) => [...(cells.at(-1) ?? '').matchAll(REFERENCE)].length === 0)
    expect(bare.map(({ cells }) => cells.join(' | '))).toEqual([])
    expect(rows.flatMap(({ cells }) => missing(cells.at(-1) ?? ''))).toEqual([])
  })
})
