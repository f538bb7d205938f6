import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'

/** `binnacle`, `@binnacle/core`, `@binnacle/core/public`. */
const PACKAGE = /^(?:@binnacle\/(?<name>\w+)|binnacle)(?:\/(?<entry>\w+))?$/

export function resolve(specifier, context, next) {
  const found = PACKAGE.exec(specifier)?.groups
  if (!found) return next(specifier, context)
  const source = new URL(`../../${found.name ?? 'operator'}/src/${found.entry ?? 'index'}.ts`, import.meta.url)
  return existsSync(source) ? { url: source.href, shortCircuit: true } : next(specifier, context)
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context)
  const source = await readFile(fileURLToPath(url), 'utf8')
  const { code } = await transform(source, { loader: 'ts', target: 'node20', sourcefile: url, sourcemap: 'inline' })
  return { format: 'module', source: code, shortCircuit: true }
}
