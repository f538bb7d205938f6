import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BinnacleError } from '@binnacle/core'
import type { BuildFailure, BuildOptions, BuildResult, Message, Plugin } from 'esbuild'
import { userModules } from './user-modules.ts'
import type { WorkerBundle } from './worker-files.ts'

/** Read with the first bundle: other commands start sooner. */
const esbuild = () => import('esbuild')

export interface BundleOptions {
  /** Absolute paths of the files that were named. */
  readonly files: readonly string[]
  /** What paths in messages are relative to. */
  readonly cwd: string
  /** Where the output goes; whoever made it removes it. */
  readonly directory: string
  /** Absolute paths of further files whose change is a reason to bundle again. @default [] */
  readonly alsoWatched?: readonly string[]
  /** The name under which the bundled code finds its host; see host.ts. */
  readonly hostKey: string
}

/** What esbuild made of the user's files: one address to import for each, in their order. */
export interface Bundle {
  readonly entries: readonly string[]
}

/** What came of one look at the files. */
export type Rebuilt = { readonly bundle: Bundle } | { readonly error: BinnacleError }

/**
 * Bundles the user's files into modules that Node can import; packages stay outside, source maps lead back to the files.
 * Guarantees: nothing is written except below `directory`; mistakes in the files are one error that shows each place.
 */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  try {
    const { build } = await esbuild()
    return written(await build(buildOptions(options)), options, 0)
  } catch (failure) {
    const { errors } = failure as Partial<BuildFailure>
    throw errors ? notLoadable(errors) : failure
  } finally {
    await leave()
  }
}

/**
 * Bundles now and after each change of a file that went in, until disposed of.
 * Guarantees: each bundle has addresses of its own, so that Node loads it anew. The one before it stays, because what runs may still
 * import parts of it; older ones are removed.
 */
export async function watchBundle(
  options: BundleOptions,
  onRebuilt: (rebuilt: Rebuilt) => void,
): Promise<AsyncDisposable> {
  let generation = 0
  const receive = (result: BuildResult): void => {
    if (result.errors.length > 0) onRebuilt({ error: notLoadable(result.errors) })
    else onRebuilt({ bundle: written(result, options, generation++) })
    rmSync(place(options, generation - 3), { recursive: true, force: true })
  }
  const base = buildOptions(options)
  const teller = { name: 'binnacle-teller', setup: ({ onEnd }: { onEnd(fn: typeof receive): void }) => onEnd(receive) }
  const { context } = await esbuild()
  const watching = await context({ ...base, plugins: [...(base.plugins ?? []), teller] })
  await watching.watch()
  return { [Symbol.asyncDispose]: () => watching.dispose().then(leave) }
}

/** esbuild works in a process of its own, which would otherwise stay as long as the operator runs. */
async function leave(): Promise<void> {
  const { stop } = await esbuild()
  await stop()
}

function buildOptions(options: BundleOptions): BuildOptions {
  const { files, directory, hostKey, alsoWatched = [] } = options
  const bundleWorker = (file: string) => workerBundle(file, options)
  return {
    ...commonOptions(options),
    entryPoints: files.map((file, i) => ({ in: file, out: `entry-${i}` })),
    // Generations are siblings of this one, so that the relative paths of its source maps are right in each of them.
    outdir: place({ directory }, 0),
    // Several files share what they both import, instead of having a copy each.
    splitting: true,
    chunkNames: 'chunk-[hash]',
    plugins: [userModules.plugin({ hostKey, bundleWorker }), watching(alsoWatched)],
  }
}

/** Of programs and of what runs in their threads. */
function commonOptions({ files, cwd }: BundleOptions): BuildOptions {
  return {
    absWorkingDir: cwd,
    write: false,
    bundle: true,
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node20.19',
    conditions: [],
    sourcemap: 'inline',
    sourcesContent: false,
    keepNames: true,
    logLevel: 'silent',
    // Files that are CommonJS may still require packages; the bundle itself has no `require`.
    banner: {
      js: `import { createRequire as $r } from 'node:module';const require = $r(${JSON.stringify(files[0])});`,
    },
    define: userModules.define,
  }
}

/** Under an address that its content decides: a thread that runs goes on with what it has loaded, the next one loads what has changed. */
async function workerBundle(file: string, options: BundleOptions): Promise<WorkerBundle> {
  const { build } = await esbuild()
  const { cwd, directory } = options
  const outdir = join(directory, 'workers', '0')
  const plugins = [userModules.plugin()]
  const made = await build({ ...commonOptions(options), entryPoints: [file], outdir, metafile: true, plugins })
  const [output] = made.outputFiles ?? []
  if (!output) throw new TypeError(`esbuild made nothing of ${file}`)
  const to = join(directory, 'workers', createHash('sha256').update(output.contents).digest('hex').slice(0, 16))
  mkdirSync(to, { recursive: true })
  const path = join(to, basename(output.path))
  writeFileSync(path, output.contents)
  const inputs = Object.keys(made.metafile?.inputs ?? {}).map((input) => resolve(cwd, input))
  return { url: pathToFileURL(path).href, inputs }
}

/** esbuild watches what its plugins name, and the files themselves are named once in every build. */
function watching(files: readonly string[]): Plugin {
  return {
    name: 'binnacle-watching',
    setup: ({ onResolve }) => {
      onResolve({ filter: /.*/ }, ({ kind, path }) =>
        kind === 'entry-point' ? { path, watchFiles: [...files] } : undefined,
      )
    },
  }
}

function place({ directory }: { readonly directory: string }, generation: number): string {
  return join(directory, String(generation))
}

function written(result: BuildResult, options: BundleOptions, generation: number): Bundle {
  const to = place(options, generation)
  mkdirSync(to, { recursive: true })
  for (const file of result.outputFiles ?? []) writeFileSync(join(to, basename(file.path)), file.contents)
  return { entries: options.files.map((_, i) => pathToFileURL(join(to, `entry-${i}.mjs`)).href) }
}

function notLoadable(errors: readonly Message[]): BinnacleError {
  const [first] = errors
  const where = first?.location ? `${first.location.file}:${first.location.line}` : 'a file'
  return new BinnacleError('BIN_OPERATOR_FILE', {
    message: `${where} cannot be loaded`,
    hint: errors.slice(0, 5).map(shown).join('\n'),
  })
}

function shown({ text, location }: Message): string {
  if (!location) return text
  const { file, line, column, lineText, length } = location
  const marks = ' '.repeat(column) + '^'.repeat(Math.max(1, Math.min(length, lineText.length - column)))
  return `${file}:${line}:${column + 1}: ${text}\n    ${lineText.replaceAll('\t', ' ')}\n    ${marks}`
}
