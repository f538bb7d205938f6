/**
 * Ours without a network: nanoseconds of the Indexer and of the work queue, under the names that client-go's program gives them. One line for
 * each.
 *
 *     node costs.mjs [repetitions]
 */
import { Indexer, metaNamespaceKeyFunc, WorkQueue } from '@binnacle/cache'
import { print } from '../figures.mjs'

const REPETITIONS = Number(process.argv[2] ?? '1000000')
const N = 50_000
/** @param {number} i @param {string} nodeName */
const pod = (i, nodeName) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: `team-${Math.floor(i / 250)}`, name: `svc-${i}-x`, uid: `u${i}`, resourceVersion: `${i + 1}` },
  spec: { nodeName },
})
/** @param {number} i */
const node = (i) => `ip-10-0-${i}.internal`

/** Milliseconds. Go's testing package repeats a step for longer before the run that counts. */
const WARM_UP = 200

/** @param {string} what @param {(i: number) => void} step @param {{ repetitions?: number, period?: number }} [options] `period`: after so many steps all is as before */
function time(what, step, { repetitions = REPETITIONS, period = 1 } = {}) {
  const warm = performance.now() + WARM_UP
  for (let i = 0; performance.now() < warm || i % period !== 0; i++) step(i)
  const begun = performance.now()
  for (let i = 0; i < repetitions; i++) step(i)
  print({ what, nsPerOp: Math.round(((performance.now() - begun) * 1e6) / repetitions) })
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
  time(`Indexer.ByIndex${name}`, (i) => indexer.byIndex('node', node(i % (N / per))), {
    repetitions: REPETITIONS / (per / 12.5),
  })
  const move = (/** @type {number} */ i) => indexer.update(Math.floor(i / N) % 2 === 0 ? moved[i % N] : same[i % N])
  time(`Indexer.Update, one index value changed${name}`, move, { period: 2 * N })
}

const keys = Array.from({ length: 1000 }, (_, i) => `team-${Math.floor(i / 250)}/svc-${i}-x`)
const queue = new WorkQueue()
let begun = 0
for (let round = -10; round < REPETITIONS / 1000; round++) {
  if (round === 0) begun = performance.now()
  for (const key of keys) queue.add(key)
  for (let i = 0; i < keys.length; i++) queue.done(await queue.get())
}
print({
  what: 'workqueue add+get+done, 1,000 queued',
  nsPerOp: Math.round(((performance.now() - begun) * 1e6) / REPETITIONS),
})
