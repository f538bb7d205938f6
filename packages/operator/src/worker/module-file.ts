import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BinnacleError } from '@binnacle/core'

/** What this Node can do. */
export interface Abilities {
  readonly version: string
  /** It runs TypeScript whose types can be erased. */
  readonly typescript: boolean
}

/**
 * The file that a thread has to import for a worker handler: the one that was named, or what it was compiled to, beside it.
 * Guarantees: throws where there is neither, or none that this Node can run, and says what to do.
 */
export function moduleFile(module: URL, { version, typescript }: Abilities): URL {
  if (module.protocol !== 'file:' || !/\.[cm]?[jt]s$/.test(module.pathname)) return module
  const source = withEnding(module, 't')
  const compiled = withEnding(module, 'j')
  const wanted = module.pathname === source.pathname ? [source, compiled] : [compiled, source]
  const there = wanted.filter((url) => existsSync(fileURLToPath(url)))
  const [first] = there.filter((url) => typescript || url.pathname === compiled.pathname)
  if (first) return first
  throw there.length > 0 ? noTypeScript(module, version) : noFile(module)
}

function withEnding(module: URL, language: 't' | 'j'): URL {
  const url = new URL(module)
  url.pathname = url.pathname.replace(/[jt]s$/, `${language}s`)
  return url
}

function noFile(module: URL): BinnacleError {
  return new BinnacleError('BIN_WORKER', {
    message: `There is no file for the worker handler ${fileURLToPath(module)}`,
    hint: 'Name it relative to the file that declares the handler, and check that the build copies or compiles it.',
    fix: "worker(new URL('./crunch.ts', import.meta.url))",
  })
}

function noTypeScript(module: URL, version: string): BinnacleError {
  return new BinnacleError('BIN_WORKER', {
    message: `The worker handler ${fileURLToPath(module)} is TypeScript, which Node ${version} does not run in a thread`,
    hint: 'Use `binnacle run`, Node 22.18 or newer, or compile the file: the .js beside it is taken by itself.',
  })
}
