/** How long it takes to import a client, and what stays in memory then. */
import { pathToFileURL } from 'node:url'

const { who, peer } = JSON.parse(process.argv[2] ?? '{}')
const collect = () => {
  globalThis.gc?.()
  globalThis.gc?.()
  return process.memoryUsage().rss
}
const before = collect()
const began = performance.now()
await (who === 'ours' ? import('@binnacle/client') : import(pathToFileURL(`${peer}/dist/index.js`).href))
const importMs = performance.now() - began
console.log(JSON.stringify({ importMs, rssMB: (collect() - before) / 1024 / 1024 }))
