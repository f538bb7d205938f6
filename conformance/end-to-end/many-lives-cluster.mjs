/**
 * An embedded cluster in a process of its own, and whoever makes and deletes objects in it: told by messages, so that the heap of the operator that is
 * measured holds the operator alone.
 */
import { Cluster, expire } from '@binnacle/cluster'
import { connect, resource, toCRD } from 'binnacle'

const Widget = resource({ group: 'e2e.example.com', version: 'v1', kind: 'Widget' })
const cluster = await Cluster.start({ crds: [toCRD(Widget)], historySize: 1000 })
const client = await connect({ transport: cluster.transport() })
const AT_ONCE = 50

/** @param {number} count @param {(name: string) => Promise<unknown>} act */
async function forEachOf(count, act) {
  for (let from = 0; from < count; from += AT_ONCE) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => `w${from + i}`)
    await Promise.all(names.map(act))
    await new Promise((resolve) => setImmediate(resolve)) // The operator's requests want their turn.
  }
}

const metadata = (/** @type {string} */ name) => ({ name, namespace: 'default', labels: { app: 'lives' } })

const acts = {
  create: (/** @type {number} */ count) =>
    forEachOf(count, (name) => client.create(Widget, { metadata: metadata(name), spec: {} })),
  delete: (/** @type {number} */ count) => forEachOf(count, (name) => client.delete(Widget, `default/${name}`)),
  /** Whoever watches is cut off, and cannot go on from where he was: he is answered with 410, and has to list again. */
  relist: async () => {
    cluster.faults.once({ verb: 'watch', resource: 'widgets.e2e.example.com' }, expire())
    cluster.actor.cutWatches()
  },
}

process.on('message', async (/** @type {{ verb: keyof typeof acts, count: number }} */ { verb, count }) => {
  await acts[verb](count)
  process.send?.({ done: verb })
})
process.on('disconnect', () => process.exit())
process.send?.({ kubeconfig: cluster.kubeconfig() })
