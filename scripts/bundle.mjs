/**
 * Joins the modules of the embedded cluster in one file, dist/bundle.js, which is what its package offers: a process that starts a cluster then
 * reads one file instead of two hundred, and is ready in a third of the time (docs/decisions/006-the-cluster-is-one-file.md).
 *
 * Guarantees: writes only when a source is newer than the bundle; whoever reads meanwhile sees the old file or the new one, never half of one.
 * Types, and the modules one by one for those who debug them, still come from `tsc -b`.
 *
 *     node scripts/bundle.mjs
 */
import { mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const home = join(root, 'packages/cluster')
const target = join(home, 'dist/bundle.js')

/** @param {string} file @returns {number} 0 for a file that is not there */
const writtenAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** @returns {number} */
function newestSource() {
  const names = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' })
  const sources = names.filter((name) => name.endsWith('.ts')).map((name) => join(home, 'src', name))
  return Math.max(...[...sources, fileURLToPath(import.meta.url)].map(writtenAt))
}

/** @type {import('esbuild').BuildOptions} */
const options = {
  entryPoints: [join(home, 'src/index.ts')],
  outfile: target,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  // Names stay: they are in stack traces, and in the messages of errors.
  minifyWhitespace: true,
  minifySyntax: true,
  // The sources are published too.
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'error',
}

/** @returns {Promise<void>} */
export async function bundle() {
  if (writtenAt(target) > newestSource()) return
  const { outputFiles } = await build({ ...options, write: false })
  mkdirSync(dirname(target), { recursive: true })
  for (const { path, contents } of outputFiles) {
    const draft = `${path}.${process.pid}`
    writeFileSync(draft, contents)
    renameSync(draft, path)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundle()
