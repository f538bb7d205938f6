/** Prints what came of handlers in worker threads, of an operator on an embedded cluster, both as they are built. `node thread.mjs` */
import { Cluster } from '@binnacle/cluster'
import { KubeConfig, operator, resource, toCRD, worker } from 'binnacle'

const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample', plural: 'kopfexamples' })
const cluster = await Cluster.start({ crds: [toCRD(Kex)] })
const op = operator('threads')
op.on.create(Kex, { id: 'act' }, worker(new URL('../workers/modules/actions.mjs', import.meta.url)))

/** @type {Map<string, string>} */
const outcomes = new Map()
const names = ['result', 'permanent', 'temporary']
let told = () => {}
const all = new Promise((resolve) => {
  told = () => names.every((name) => outcomes.has(name)) && resolve(undefined)
})
const running = await op.start({
  kubeconfig: KubeConfig.fromString(cluster.kubeconfig()),
  logger: { level: 'silent' },
  observer: {
    run: ({ object, outcome, error }) => {
      if (outcome === 'running') return
      outcomes.set(object.replace(/^.*\//, ''), error instanceof Error ? `${outcome}: ${error.message}` : outcome)
      told()
    },
  },
})
for (const action of names) await running.client.create(Kex, { metadata: { name: action }, spec: { action } })
await all
await running.stop()
await cluster.stop()
console.log(JSON.stringify(Object.fromEntries(outcomes)))
