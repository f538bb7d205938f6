/** The hooks of files.mjs: they tell each file that is read. */

/** @type {import('node:worker_threads').MessagePort | undefined} */
let port

/** @param {import('node:worker_threads').MessagePort} given */
export function initialize(given) {
  port = given
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (url.startsWith('file:')) port?.postMessage(url)
  return nextLoad(url, context)
}
