import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bundle } from './bundle.mjs'

const PACKAGE = { home: 'parts', entries: { index: 'index.ts', thread: 'deep/thread.ts' } }
const LONG_AGO = new Date('2020-01-01')

let root = ''
const path = (name: string) => join(root, 'parts', name)
const write = (name: string, text: string) => {
  mkdirSync(dirname(path(name)), { recursive: true })
  writeFileSync(path(name), text)
}
const files = () => readdirSync(path('dist/bundle')).sort()
const parts = () => files().filter((name) => /^part-\w+\.js$/.test(name))
const made = () => import(`${pathToFileURL(path('dist/bundle/index.js')).href}?${Math.random()}`)
/** What both entries and what is imported later share. */
const shared = (word: string) => `export class Shared {
  static readonly word: string = '${word}'
  static made(): Shared { return new Shared() }
}\n`

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bundle-'))
  write('src/shared.ts', shared('one'))
  write('src/index.ts', `export { Shared } from './shared.ts'\nexport const later = () => import('./later.ts')\n`)
  write('src/later.ts', `export { Shared as Same } from './shared.ts'\nexport const path = import.meta.url\n`)
  write('src/deep/thread.ts', `import { Shared } from '../shared.ts'\nconsole.log(Shared.word)\n`)
  write('src/index.test.ts', 'syntax error')
  for (const name of ['shared.ts', 'index.ts', 'later.ts', 'deep/thread.ts', 'deep', ''])
    utimesSync(path(`src/${name}`), LONG_AGO, LONG_AGO)
})
afterEach(() => rmSync(root, { recursive: true }))

it('makes a file of each entry, side by side, with what is imported later in another file', async () => {
  await bundle(root, [PACKAGE])
  expect(files().filter((name) => /^(index|thread)\./.test(name))).toEqual([
    'index.js',
    'index.js.map',
    'thread.js',
    'thread.js.map',
  ])
  const { Shared, later } = await made()
  const { Same, path: place } = await later()
  expect(Same).toBe(Shared)
  expect(place).toMatch(/\/part-\w+\.js$/)
})

it('leaves classes their names, and columns where the source map says', async () => {
  await bundle(root, [PACKAGE])
  expect((await made()).Shared.name).toBe('Shared')
  const [text = ''] = parts().flatMap((name) => {
    const read = readFileSync(path(`dist/bundle/${name}`), 'utf8')
    return read.includes('class') ? [read] : []
  })
  expect(text).toContain('return new  Shared()')
})

it('writes nothing where nothing has changed', async () => {
  await bundle(root, [PACKAGE])
  const before = files().map((name) => statSync(path(`dist/bundle/${name}`)).ino)
  await bundle(root, [PACKAGE])
  expect(files().map((name) => statSync(path(`dist/bundle/${name}`)).ino)).toEqual(before)
})

it('notices a source that is gone', async () => {
  write('src/extra.ts', 'export const extra = 1')
  write('src/index.ts', `export * from './extra.ts'`)
  await bundle(root, [PACKAGE])
  rmSync(path('src/extra.ts'))
  await expect(bundle(root, [PACKAGE])).rejects.toThrow('extra.ts')
})

it('leaves the parts that it replaces to those who are reading, until the next time', async () => {
  await bundle(root, [PACKAGE])
  const first = parts()
  write('src/shared.ts', shared('two'))
  await bundle(root, [PACKAGE])
  const second = parts().filter((name) => !first.includes(name))
  expect(second).not.toEqual([])
  expect(parts()).toEqual([...first, ...second].sort())
  write('src/shared.ts', shared('three'))
  await bundle(root, [PACKAGE])
  expect(parts()).toEqual(expect.arrayContaining(second))
  expect(parts().filter((name) => first.includes(name))).toEqual([])
  expect((await made()).Shared.word).toBe('three')
})
