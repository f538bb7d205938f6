/** The hooks of mutation.mjs: they run in a thread of their own, in which nothing of the framework is loaded. */
import { mutated } from './mutants.mjs'

/** @type {readonly import('./mutants.mjs').Edit[]} */
let edits = []

/** @param {readonly import('./mutants.mjs').Edit[]} data */
export function initialize(data) {
  edits = data
}

/**
 * What a package offers is its modules joined in a few files. Those of a package with a mistake are read one by one, all of them, so that there
 * is still one of each class in the process.
 * @type {import('node:module').ResolveHook}
 */
export async function resolve(specifier, context, nextResolve) {
  const resolved = await nextResolve(specifier, context)
  const [entry, home, name] = /\/packages\/(\w+)\/dist\/bundle\/(\w+)\.js$/.exec(resolved.url) ?? []
  if (entry === undefined || !edits.some(({ module }) => module.startsWith(`${home}/`))) return resolved
  return { ...resolved, url: resolved.url.replace(entry, `/packages/${home}/dist/${name}.js`) }
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context)
  const own = edits.filter(({ module }) => url.endsWith(`/packages/${module}`))
  if (own.length === 0) return loaded
  return { ...loaded, source: mutated(Buffer.from(/** @type {Uint8Array} */ (loaded.source)).toString(), own) }
}
