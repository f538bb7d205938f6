import { dirname, resolve } from 'node:path'

/**
 * The files of worker handlers that a source names as `worker(new URL('./crunch.ts', import.meta.url))`. A thread imports them by themselves, so
 * each becomes a bundle of its own, whose address takes the place of the one in the source.
 */

/** A bundle for threads, and the files that went into it. */
export interface WorkerBundle {
  readonly url: string
  readonly inputs: readonly string[]
}

/** Absolute path of a file → its bundle. Rejects as esbuild does. */
export type BundleWorker = (file: string) => Promise<WorkerBundle>

/** Only TypeScript: what Node runs by itself stays where it is. */
const NAMED = /\bworker\(\s*new URL\(\s*(['"])(\.\.?\/[^'"\n]+\.[cm]?tsx?)\1\s*,\s*import\.meta\.url\s*,?\s*\)/g

export interface WithWorkers {
  readonly source: string
  readonly inputs: readonly string[]
}

/** Guarantees: no line changes its number. */
export async function withWorkers(source: string, path: string, bundle: BundleWorker): Promise<WithWorkers> {
  const named = new Set(Array.from(source.matchAll(NAMED), ([, , relative = '']) => relative))
  const made = new Map<string, WorkerBundle>()
  for (const relative of named) made.set(relative, await bundle(resolve(dirname(path), relative)))
  return {
    source: source.replace(NAMED, (whole, _quote, relative: string) => {
      const lines = '\n'.repeat(whole.split('\n').length - 1)
      return `worker(new URL(${JSON.stringify(made.get(relative)?.url)}${lines})`
    }),
    inputs: [...made.values()].flatMap(({ inputs }) => inputs),
  }
}
