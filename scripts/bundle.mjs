/**
 * Joins the modules of each package that is loaded by an operator, and of the embedded cluster, in a few files below dist/bundle, which are what the
 * package offers: a process reads some ten files instead of a hundred and more, and starts sooner (docs/decisions/007-a-package-is-a-few-files.md).
 *
 * Guarantees: packages do not go into each other, so that each is there once in a process; what a module imports later is still read later. Writes only where a
 * source is newer. Whoever reads meanwhile sees the old files or the new ones, and never some of both: names of parts follow their content, entries are put in
 * place last, and the parts that were replaced stay until the next time.
 * Types, and the modules one by one, still come from `tsc -b`.
 *
 *     node scripts/bundle.mjs
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { withLock } from './lock.mjs'

/**
 * @typedef {object} Joined
 * @property {string} home its folder below the root
 * @property {Readonly<Record<string, string>>} entries name of the file below dist/bundle → its source below src
 * @property {boolean} [dense] without comments and spaces: worth it for a package so large that reading them takes time
 */

const THIS = fileURLToPath(import.meta.url)

/** @type {readonly Joined[]} */
const PACKAGES = [
  { home: 'packages/core', entries: { index: 'index.ts', public: 'public.ts' } },
  { home: 'packages/client', entries: { index: 'index.ts' } },
  { home: 'packages/cache', entries: { index: 'index.ts' } },
  { home: 'packages/operator', entries: { index: 'index.ts', thread: 'worker/thread.ts' } },
  { home: 'packages/cluster', entries: { index: 'index.ts' }, dense: true },
]

/** Milliseconds by which the time of a file may lie behind the clock: a kernel stamps files by its last tick. */
const FILE_CLOCK_LAG = 10

/** @param {string} file @returns {number} 0 for a file that is not there */
const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Of files, and of folders, in which a file that is gone leaves a trace. @param {string} folder @returns {number} */
function newestBelow(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.endsWith('.test.ts'))
  return Math.max(...[folder, ...names.map((name) => join(folder, name))].map(writtenAt))
}

/** @param {Joined} joined @param {string} from @param {string} to @returns {import('esbuild').BuildOptions} */
function options({ entries, dense = false }, from, to) {
  return {
    entryPoints: Object.entries(entries).map(([out, source]) => ({ in: join(from, source), out })),
    outdir: to,
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    // Names stay in any case: they are in stack traces, and in the messages of errors.
    minifyWhitespace: dense,
    minifySyntax: dense,
    // The sources are published too.
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'error',
  }
}

/**
 * A class that names itself is called `_Name` inside by esbuild, and so it would be in stack traces and for `constructor.name`. With a space in the place of the
 * mark it has the name again that it has in the source, and no column moves.
 * @param {string} text
 */
function withNames(text) {
  const named = [...text.matchAll(/\b(\w+) ?= ?class _\1\b/g)].map(([, name = '']) => name)
  return named.reduce((result, name) => result.replaceAll(new RegExp(`\\b_${name}\\b`, 'g'), ` ${name}`), text)
}

/** Parts before the entries that name them. @param {readonly import('esbuild').OutputFile[]} files @param {Joined} joined */
function inOrder(files, { entries }) {
  /** @param {{ readonly path: string }} file */
  const isEntry = ({ path }) => basename(path, '.js') in entries
  return [...files.filter((file) => !isEntry(file)), ...files.filter(isEntry)]
}

/**
 * Draft by draft, each renamed when it is whole.
 * @param {readonly import('esbuild').OutputFile[]} files
 * @param {Date} made what is changed afterwards is newer than what was made of it
 */
function put(files, made) {
  for (const { path, text } of files) {
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, path.endsWith('.js') ? withNames(text) : text)
    utimesSync(draft, made, made)
    renameSync(draft, path)
  }
}

/** What was replaced before the last time. @param {string} folder @param {ReadonlySet<string>} present @param {number} last */
function removeOlder(folder, present, last) {
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    if (!present.has(path) && writtenAt(path) < last) rmSync(path, { force: true })
  }
}

/** @param {string} root @param {Joined} joined @returns {Promise<void>} */
async function refresh(root, joined) {
  const from = join(root, joined.home, 'src')
  const to = join(root, joined.home, 'dist/bundle')
  const last = Math.min(...Object.keys(joined.entries).map((name) => writtenAt(join(to, `${name}.js`))))
  if (last > Math.max(newestBelow(from), writtenAt(THIS))) return
  const begun = new Date(Date.now() - FILE_CLOCK_LAG)
  const { outputFiles } = await build({ ...options(joined, from, to), write: false })
  mkdirSync(to, { recursive: true })
  put(inOrder(outputFiles, joined), begun)
  removeOlder(to, new Set(outputFiles.map(({ path }) => path)), last)
}

/** @param {string} [root] @param {readonly Joined[]} [packages] @returns {Promise<void>} */
export async function bundle(root = dirname(dirname(THIS)), packages = PACKAGES) {
  const lock = join(root, '.binnacle/bundle.lock')
  await withLock(lock, () => Promise.all(packages.map((joined) => refresh(root, joined))))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle()
