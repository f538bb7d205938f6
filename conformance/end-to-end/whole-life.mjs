/**
 * A whole life of an operator in a process of its own, from the built packages: it must end by itself, without a word on stderr.
 */
import { Cluster } from '@binnacle/cluster'
import { KubeConfig, operator, resource, toCRD } from 'binnacle'

const Widget = resource({ group: 'e2e.example.com', version: 'v1', kind: 'Widget' })
const cluster = await Cluster.start({ crds: [toCRD(Widget)] })
const op = operator('mayfly')
op.on.create(Widget, ({ name, patch }) => {
  patch.status.greeting = `Hello, ${name}!`
})
op.on.delete(Widget, () => {})

const running = await op.start({
  kubeconfig: KubeConfig.fromString(cluster.kubeconfig()),
  logger: { level: 'warn' },
})
const names = Array.from({ length: 30 }, (_, i) => `w${i}`)
await Promise.all(names.map((name) => running.client.create(Widget, { metadata: { name }, spec: {} })))
for (;;) {
  const { items } = await running.client.list(Widget)
  if (items.length === names.length && items.every(({ status }) => status?.greeting)) break
}
await Promise.all(names.map((name) => running.client.delete(Widget, name)))
while ((await running.client.list(Widget)).items.length > 0);
await running.stop()
await cluster.stop()
console.log('ended')
