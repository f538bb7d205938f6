import { readFile } from 'node:fs/promises'
import { dirname, extname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { BuildFailure, Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin, PluginBuild } from 'esbuild'
import { hostedModule } from './host.ts'
import { type BundleWorker, withWorkers } from './worker-files.ts'

/**
 * How modules of the user's files are found and read.
 * Guarantees: packages are not bundled but imported from where Node would find them, wherever the bundle lies; sources are bundled also
 * when they come in by a package's name (workspaces, path aliases); `import.meta.url` stays the address of the source; the files of worker handlers
 * are bundled too.
 */

/** A package, not a path and not a `#name` of the user's own package. */
const PACKAGE = /^[^./#]/
const SCRIPT = /\.[cm]?[jt]sx?$/
/** What Node can load by itself. */
const PLAIN = /\.[cm]?js$/
const OURS = /^(binnacle|@binnacle\/[^/]+)(\/|$)/
const HOSTED = 'binnacle-hosted'
const HERE = dirname(fileURLToPath(import.meta.url))

const URL_NAME = '__binnacle_url'
const FILE_NAME = '__binnacle_filename'
const FOLDER_NAME = '__binnacle_dirname'

export const userModules = {
  define: {
    'import.meta.url': URL_NAME,
    'import.meta.filename': FILE_NAME,
    'import.meta.dirname': FOLDER_NAME,
    // The file is not the program here: what it exports is run for it.
    'import.meta.main': 'false',
  },
  plugin,
}

/** What a program has that runs operators. A bundle for a thread has neither. */
interface Hosting {
  /** The name under which the bundled code finds its host. */
  readonly hostKey: string
  readonly bundleWorker: BundleWorker
}

function plugin(hosting?: Hosting): Plugin {
  return {
    name: 'binnacle-user-modules',
    setup(build) {
      build.onResolve({ filter: PACKAGE }, (args) => resolved(build, args, hosting !== undefined))
      build.onLoad({ filter: SCRIPT, namespace: 'file' }, ({ path }) => loaded(build, path, hosting?.bundleWorker))
      if (!hosting) return
      const contents = (path: string) => hostedModule(path, hosting.hostKey)
      build.onLoad({ filter: /.*/, namespace: HOSTED }, ({ path }) => ({ contents: contents(path) }))
    },
  }
}

async function resolved(
  build: PluginBuild,
  args: OnResolveArgs,
  isHosted: boolean,
): Promise<OnResolveResult | undefined> {
  if (args.kind === 'entry-point' || args.pluginData === HOSTED) return undefined
  if (args.path.startsWith('file:')) return { path: args.path, external: true }
  const found = await find(build, args)
  if (found.errors.length > 0) return { errors: found.errors }
  if (found.external || found.namespace !== 'file') return { path: found.path, external: true }
  if (!PLAIN.test(found.path)) return { path: found.path }
  if (isHosted && args.path === 'binnacle' && args.kind !== 'require-call') {
    return { path: pathToFileURL(found.path).href, namespace: HOSTED }
  }
  return { path: args.kind === 'require-call' ? found.path : pathToFileURL(found.path).href, external: true }
}

/** What is ours and not installed beside the file comes with this tool, so that one file in an empty folder runs too. */
async function find(build: PluginBuild, { path, kind, importer, resolveDir }: OnResolveArgs) {
  const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: HOSTED })
  if (found.errors.length === 0 || !OURS.test(path)) return found
  const fallback = await build.resolve(path, { kind, importer, resolveDir: HERE, pluginData: HOSTED })
  return fallback.errors.length === 0 ? fallback : found
}

/** The source, with its own address in front if it asks for that; on the first line, so that no line number changes. */
async function loaded(
  { initialOptions }: PluginBuild,
  path: string,
  bundleWorker: BundleWorker | undefined,
): Promise<OnLoadResult | undefined> {
  const text = await readFile(path, 'utf8')
  if (!text.includes('import.meta')) return undefined
  try {
    const { source, inputs } = bundleWorker ? await withWorkers(text, path, bundleWorker) : { source: text, inputs: [] }
    return { contents: withAddress(source, path), loader: loaderOf(path), watchFiles: [...inputs] }
  } catch (failure) {
    const { errors } = failure as Partial<BuildFailure>
    if (!errors) throw failure
    // Watched as well, so that the file is looked at again when it has been mended.
    const places = errors.flatMap(({ location }) => location?.file ?? [])
    return { errors, watchFiles: places.map((file) => resolve(initialOptions.absWorkingDir ?? '', file)) }
  }
}

function withAddress(source: string, path: string): string {
  const own = [
    [URL_NAME, pathToFileURL(path).href],
    [FILE_NAME, path],
    [FOLDER_NAME, dirname(path)],
  ]
  const names = own.map(([name, value]) => `const ${name} = ${JSON.stringify(value)};`).join('')
  return source.startsWith('#!') ? source.replace('\n', `\n${names}`) : names + source
}

function loaderOf(path: string): Loader {
  const extension = extname(path).replace(/^\.[cm]?/, '')
  return extension === 'ts' || extension === 'tsx' || extension === 'jsx' ? extension : 'js'
}
