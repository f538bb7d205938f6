/**
 * Ours without a network: nanoseconds of the Indexer and the work queue, the step of a list, and memory over a million events with values that
 * nobody uses twice. One line for each.
 *
 *     node --expose-gc micro.mjs
 */
import { Indexer, ListWatch, metaNamespaceKeyFunc, SharedIndexInformer, WorkQueue } from '@binnacle/cache'
import { memory, print, watchLoop } from './figures.mjs'

const N = 50_000
/** @param {number} i @param {string} nodeName */
const pod = (i, nodeName) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: `team-${Math.floor(i / 250)}`,
    name: `svc-${i}-x`,
    uid: `u${i}`,
    resourceVersion: String(i + 1),
  },
  spec: { nodeName },
})
/** @param {number} i */
const node = (i) => `ip-10-0-${i}.internal`

/** @param {string} what @param {(i: number) => void} step @param {number} [rounds] */
function time(what, step, rounds = 1_000_000) {
  for (let i = 0; i < rounds / 10; i++) step(i)
  const begun = performance.now()
  for (let i = 0; i < rounds; i++) step(i)
  print({ contender: 'binnacle', what, nsPerOp: Math.round(((performance.now() - begun) * 1e6) / rounds) })
}

for (const per of [25, 10_000]) {
  const same = Array.from({ length: N }, (_, i) => pod(i, node(Math.floor(i / per))))
  const moved = Array.from({ length: N }, (_, i) => pod(i, node((Math.floor(i / per) + 1) % (N / per))))
  const indexer = new Indexer(metaNamespaceKeyFunc, {
    ns: (/** @type {any} */ object) => [object.metadata.namespace],
    node: (/** @type {any} */ object) => [object.spec.nodeName],
  })
  for (const object of same) indexer.add(object)
  const name = ` (buckets of ${per})`
  time(`Indexer.Update, index values unchanged, 2 indexes${name}`, (i) => indexer.update(same[i % N]))
  time(`Indexer.ByIndex${name}`, (i) => indexer.byIndex('node', node(i % (N / per))), per > 1000 ? 2000 : 500_000)
  time(`Indexer.Update, one index value changed${name}`, (i) =>
    indexer.update(Math.floor(i / N) % 2 === 0 ? moved[i % N] : same[i % N]),
  )
}

const keys = Array.from({ length: 1000 }, (_, i) => `team-${Math.floor(i / 250)}/svc-${i}-x`)
const queue = new WorkQueue()
const begun = performance.now()
for (let round = 0; round < 300; round++) {
  for (const key of keys) queue.add(key)
  for (let i = 0; i < keys.length; i++) queue.done(await queue.get())
}
print({
  contender: 'binnacle',
  what: 'workqueue add+get+done, 1,000 queued',
  nsPerOp: Math.round(((performance.now() - begun) * 1e6) / 300_000),
})

await list()
soak()

/** A list out of memory: what is left is the cache's own work. */
async function list() {
  const objects = Array.from({ length: N }, (_, i) => pod(i, node(i % 1000)))
  const metadata = { resourceVersion: '1' }
  const source = new ListWatch({
    watchList: false,
    list: async () => ({ apiVersion: 'v1', kind: 'PodList', metadata, items: objects }),
    watch: (options) => ({
      [Symbol.asyncIterator]: () => ({
        next: () =>
          new Promise((_, reject) => options.signal?.addEventListener('abort', () => reject(options.signal?.reason))),
      }),
    }),
  })
  const informer = new SharedIndexInformer(source, {
    indexers: {
      ns: (object) => [object.metadata.namespace ?? ''],
      node: (/** @type {any} */ object) => [object.spec.nodeName],
    },
  })
  let heard = 0
  informer.addEventHandler({ onAdd: () => void heard++ })
  const loop = watchLoop()
  await new Promise((resolve) => setTimeout(resolve, 50))
  loop.take()
  const stop = new AbortController()
  const from = performance.now()
  const run = informer.run(stop.signal)
  while (heard < N) await new Promise((resolve) => setTimeout(resolve, 1))
  print({
    contender: 'binnacle',
    what: 'a list of 50,000 into the cache, 2 indexes, 1 handler',
    ms: Math.round(performance.now() - from),
    loopBlockedMs: loop.take(),
  })
  loop.stop()
  stop.abort()
  await run
}

function soak() {
  const indexer = new Indexer(metaNamespaceKeyFunc, { node: (/** @type {any} */ object) => [object.spec.nodeName] })
  for (let i = 0; i < 1000; i++) indexer.add(pod(i, node(i)))
  const before = memory().heapMB
  for (let i = 0; i < 1_000_000; i++) indexer.update(pod(i % 1000, `unique-${i}`))
  print({
    contender: 'binnacle',
    what: 'memory over 1,000,000 events with unique index values',
    heapMBBefore: before,
    heapMBAfter: memory().heapMB,
    values: indexer.listIndexFuncValues('node').length,
  })
}
