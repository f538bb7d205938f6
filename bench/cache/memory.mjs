/**
 * Memory over many events whose index values come and never come again, as those of short-lived nodes or owners do.
 *
 *     node --expose-gc memory.mjs [events]
 */
import { Indexer, metaNamespaceKeyFunc } from '@binnacle/cache'
import { memory, print } from '../figures.mjs'

const EVENTS = Number(process.argv[2] ?? '1000000')
const OBJECTS = 1000
/** @param {number} i @param {string} nodeName */
const pod = (i, nodeName) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: `pod-${i}`, uid: `u${i}`, resourceVersion: '1' },
  spec: { nodeName },
})

const indexer = new Indexer(metaNamespaceKeyFunc, { node: (/** @type {any} */ object) => [object.spec.nodeName] })
// A tenth of it first, so that the compiler has done its work and what it has made is not counted.
for (let i = 0; i < EVENTS / 10; i++) indexer.update(pod(i % OBJECTS, `first-${i}`))
const before = memory().heapMB
for (let i = 0; i < EVENTS; i++) indexer.update(pod(i % OBJECTS, `unique-${i}`))
print({
  heapGrowthMB: Math.round((memory().heapMB - before) * 10) / 10,
  valuesBeyondObjects: indexer.listIndexFuncValues('node').length - OBJECTS,
})
