/** The hooks of mutation.mjs: they run in a thread of their own, in which nothing of the framework is loaded. */
import { mutated } from './mutants.mjs'

/** @type {readonly import('./mutants.mjs').Edit[]} */
let edits = []

/** @param {readonly import('./mutants.mjs').Edit[]} data */
export function initialize(data) {
  edits = data
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context)
  const own = edits.filter(({ module }) => url.endsWith(`/packages/${module}`))
  if (own.length === 0) return loaded
  return { ...loaded, source: mutated(Buffer.from(/** @type {Uint8Array} */ (loaded.source)).toString(), own) }
}
