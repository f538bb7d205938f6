/** How long an import takes, and what it leaves in memory. `node import.mjs ours|client-node` */

import { pathToFileURL } from 'node:url'
import { getHeapStatistics } from 'node:v8'

const ours = process.argv[2] === 'ours'
const peer = pathToFileURL(`${process.env['CLIENT_NODE']}/dist/index.js`).href
const begun = performance.now()
await (ours ? import('binnacle') : import(peer))
const importMs = performance.now() - begun
globalThis.gc?.()
const heapMB = getHeapStatistics().used_heap_size / 2 ** 20
console.log(JSON.stringify({ importMs, heapMB, rssMB: process.memoryUsage.rss() / 2 ** 20 }))
process.exit()
