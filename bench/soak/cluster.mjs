/**
 * An embedded cluster with restless users: each of them creates an object, waits until the operator has handled it, edits it a few times, waits again, deletes it,
 * and begins anew; so the rate is the highest that the machine holds. Meanwhile watches break, and history is forgotten.
 *
 *     node cluster.mjs <seconds> <users>
 *
 * Prints the kubeconfig's text as one line of JSON when it is ready; begins at the first line of its input; prints what was done as a line of JSON at the end.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ListWatch, SharedIndexInformer } from '@binnacle/cache'
import { connect } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { parse } from 'yaml'

const [seconds = 60, users = 32] = process.argv.slice(2).map(Number)
const EDITS = 3
const BREAK_EVERY_MS = 5_000
/** The first break comes with 410, and so does one in 26 from then on: two calm minutes lie between them, after which a reflector begins its waits anew. */
const isForgotten = (/** @type {number} */ breaks) => breaks % 26 === 1

const crd = parse(readFileSync(new URL('../operator/crd.yaml', import.meta.url), 'utf8'))
const cluster = await Cluster.start({ crds: [crd] })
const client = await connect({ transport: cluster.transport({ userAgent: 'users' }), namespace: 'default' })

/** @type {Map<string, number>} what the operator has said about each object */
const observed = new Map()
/** @type {Map<string, () => void>} */
const waiting = new Map()
/** @param {any} object */
const note = (object) => {
  observed.set(object.metadata.name, object.status?.observed ?? -1)
  waiting.get(object.metadata.name)?.()
}
const informer = new SharedIndexInformer(new ListWatch(client, 'widgets.peers.dev'), {
  name: 'widgets',
  onWatchError: () => {},
})
informer.addEventHandler({
  onAdd: note,
  onUpdate: (_, object) => note(object),
  onDelete: (/** @type {any} */ gone) => {
    const { name } = (gone.obj ?? gone.object ?? gone).metadata ?? {}
    observed.delete(name)
    waiting.get(name)?.()
  },
})
const stop = new AbortController()
const running = informer.run(stop.signal)
await informer.whenSynced()

/** @param {string} name @param {() => boolean} isSo */
async function until(name, isSo) {
  while (!isSo()) await new Promise((resolve) => waiting.set(name, () => resolve(undefined)))
  waiting.delete(name)
}

let changes = 0
/** @type {number[]} */
const latencies = []
let end = Infinity

/** @param {() => Promise<unknown>} change @param {string} name @param {() => boolean} isSo */
async function change(change, name, isSo) {
  const begun = performance.now()
  await change()
  await until(name, isSo)
  latencies.push(performance.now() - begun)
  changes++
}

/** @param {number} user */
async function live(user) {
  for (let life = 0; performance.now() < end; life++) {
    const name = `widget-${user}-${life}`
    const object = { apiVersion: 'peers.dev/v1', kind: 'Widget', metadata: { name }, spec: { value: 0 } }
    await change(
      () => client.create('widgets.peers.dev', object),
      name,
      () => observed.get(name) === 0,
    )
    for (let value = 1; value <= EDITS; value++) {
      const edit = () => client.patch('widgets.peers.dev', name, { spec: { value } })
      await change(edit, name, () => observed.get(name) === value)
    }
    await change(
      () => client.delete('widgets.peers.dev', name),
      name,
      () => !observed.has(name),
    )
  }
}

let breaks = 0
let forgotten = 0
async function disturb() {
  while (performance.now() < end - BREAK_EVERY_MS) {
    await sleep(BREAK_EVERY_MS)
    breaks++
    if (isForgotten(breaks)) {
      cluster.actor.compact()
      forgotten++
    }
    cluster.actor.cutWatches()
  }
}

console.log(JSON.stringify({ kubeconfig: cluster.kubeconfig() }))
await once(process.stdin, 'data')
end = performance.now() + seconds * 1000
const telling = setInterval(() => {
  const left = Math.max(0, Math.round((end - performance.now()) / 1000))
  console.error(`    ${changes} changes so far, ${left} of ${seconds} s to go`)
}, seconds * 100)
await Promise.all([...Array.from({ length: users }, (_, user) => live(user)), disturb()])
clearInterval(telling)
latencies.sort((a, b) => a - b)
const at = (/** @type {number} */ share) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN
console.log(
  JSON.stringify({
    changes,
    perSecond: changes / seconds,
    p50: at(0.5),
    p99: at(0.99),
    breaks,
    forgotten,
    left: observed.size,
  }),
)
stop.abort()
await running
await client[Symbol.asyncDispose]()
await cluster.stop()
process.exit()
