/**
 * Bugs that Sieve (OSDI 2022) found in controllers of others, one for each of its classes and for the example that it opens with. Volumes,
 * sets and pods are config maps here: what matters is who deletes what, and when.
 */
import { answerFromThePast, holdEvents } from '@binnacle/testing'
import { type Client, operator } from 'binnacle'
import { imitation, listAndWatch, specOf } from './imitation.ts'
import { App, binnacle, dataOf, ensure, Node, published } from './subject.ts'

const configMap = (name: string, size: string) => ({ metadata: { name }, data: { size } })
const put = (client: Client, name: string, size: string) =>
  client.apply('configmaps', configMap(name, size), { fieldManager: 'm' })
const drop = async (client: Client, name: string) => {
  if (await client.find('configmaps', name)) await client.delete('configmaps', name)
}

published({
  name: 'rabbitmq/cluster-operator#782 (Sieve, intermediate state): a crash while a volume grows, and it never does',
  async story(world, start) {
    const subject = await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: { size: 10 } })
    await world.advance('10s')
    const crashed = subject.crashAfter({ verb: 'delete', resource: 'configmaps', name: 'a-set' })
    await world.client.patch(App, 'a', { spec: { size: 15 } })
    await crashed
    await world.advance('10m')
    const volume = await dataOf(world, 'a-volume')
    ensure((await dataOf(world, 'a-set'))?.['size'] === '15', 'The set was not made anew')
    ensure(volume?.['size'] === '15', `The volume should have grown to 15, and has ${volume?.['size']}`)
  },
  // Decides by the set whether the volume must grow, and the set is gone before the volume has grown.
  flawed: imitation(async (life) => {
    for await (const { type, object } of listAndWatch(life, App)) {
      if (type === 'DELETED') continue
      const size = String(specOf(object)['size'])
      const set = await life.client.find('configmaps', 'a-set')
      if (set && set.data?.['size'] !== size) {
        await life.client.delete('configmaps', 'a-set')
        await put(life.client, 'a-volume', size)
      }
      if (!set) await ((await life.client.find('configmaps', 'a-volume')) ?? put(life.client, 'a-volume', size))
      await put(life.client, 'a-set', size)
    }
  }),
  message: 'The volume should have grown to 15, and has 10',
  binnacle: binnacle(() => {
    const op = operator('volumes')
    op.on.create(App, { id: 'make' }, async ({ spec, client }) => {
      for (const name of ['a-volume', 'a-set']) await put(client, name, String(spec.size))
    })
    op.on.update(App, { id: 'grow', field: 'spec.size' }, async ({ new: size, client }) => {
      await drop(client, 'a-set')
      await put(client, 'a-volume', String(size))
      await put(client, 'a-set', String(size))
    })
    return op
  }),
})

published({
  name: "Orange-OpenSource/casskop#370 (Sieve's opening example): a crash after a pod was deleted, and its volume stays for ever",
  async story(world, start) {
    const subject = await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: { nodes: 2 } })
    await world.advance('10s')
    const crashed = subject.crashAfter({ verb: 'delete', resource: 'configmaps', name: 'a-pod-2' })
    await world.client.patch(App, 'a', { spec: { nodes: 1 } })
    await crashed
    await world.advance('10m')
    ensure((await dataOf(world, 'a-pod-2')) === undefined, 'The pod is still there')
    ensure((await dataOf(world, 'a-volume-2')) === undefined, 'The volume of the pod that was removed is left behind')
  },
  // Deletes the pod, then notes in memory that its volume is to follow; after a restart no pod is too many.
  flawed: imitation(async (life) => {
    const finalizing = new Set<string>()
    for await (const { object } of listAndWatch(life, App)) {
      const nodes = Number(specOf(object)['nodes'])
      if (nodes === 2) for (const name of ['a-pod-2', 'a-volume-2']) await put(life.client, name, '1')
      if (nodes < 2 && (await life.client.find('configmaps', 'a-pod-2'))) {
        await life.client.delete('configmaps', 'a-pod-2')
        finalizing.add('a-volume-2')
      }
      for (const name of finalizing) await drop(life.client, name)
    }
  }),
  message: 'The volume of the pod that was removed is left behind',
  binnacle: binnacle(() => {
    const op = operator('nodes')
    op.on.create(App, { id: 'make' }, async ({ client }) => {
      for (const name of ['a-pod-2', 'a-volume-2']) await put(client, name, '1')
    })
    op.on.update(App, { id: 'shrink', field: 'spec.nodes' }, async ({ client, step }) => {
      await step('pod', () => drop(client, 'a-pod-2'))
      await step('volume', () => drop(client, 'a-volume-2'))
    })
    return op
  }),
})

published({
  name: 'instaclustr/cassandra-operator#402 (Sieve, stale state): a deletion of long ago is seen again, and the namesake loses its volume',
  async story(world, start) {
    const subject = await start()
    const { client } = world
    const app = { metadata: { name: 'a', finalizers: ['test.example.com/hold'] }, spec: { size: 10 } }
    await client.create(App, app)
    await world.advance('10s')
    await client.delete(App, 'a')
    const { metadata } = await client.get(App, 'a')
    await world.cluster?.actor.stripFinalizers(App, 'default/a')
    await world.advance('10s')
    await client.create(App, { metadata: { name: 'a' }, spec: { size: 10 } })
    await world.advance('10s')
    const volume = await client.find('configmaps', 'a-volume')
    ensure(volume !== undefined, 'The namesake has no volume at all')
    // The restarted controller is answered by a server that is still at the moment of the first deletion.
    const past = answerFromThePast(metadata.resourceVersion)
    using _ = world.faults.times(2, { verb: ['list', 'watch'], resource: App, user: subject.program }, past)
    await subject.restart()
    await world.advance('10m')
    const left = await client.find('configmaps', 'a-volume')
    // One that was made anew is empty.
    ensure(left?.metadata.uid === volume?.metadata.uid, 'The volume of the living App was deleted')
  },
  // Finds what belongs to an object by the name of the object.
  flawed: imitation(async (life) => {
    for await (const { type, object } of listAndWatch(life, App)) {
      if (type === 'DELETED') continue
      if (object.metadata.deletionTimestamp) await drop(life.client, `${object.metadata.name}-volume`)
      else await put(life.client, `${object.metadata.name}-volume`, '10')
    }
  }),
  message: 'The volume of the living App was deleted',
  // What belongs to an object carries its uid, and goes with the object of that uid only.
  binnacle: binnacle(() => {
    const op = operator('volumes')
    op.on.create(App, { id: 'make' }, async ({ name, client, adopt }) => {
      await client.apply('configmaps', adopt({ metadata: { name: `${name}-volume` }, data: { size: '10' } }))
    })
    op.on.delete(App, { id: 'end' }, async ({ name, uid, client }) => {
      const volume = await client.find('configmaps', `${name}-volume`)
      if (volume?.metadata.ownerReferences?.some((owner) => owner.uid === uid))
        await client.delete('configmaps', volume)
    })
    return op
  }),
})

published({
  name: 'instaclustr/cassandra-operator#398 (Sieve, unobserved state): nobody saw that a pod was being deleted, and its volume stays',
  async story(world, start) {
    const subject = await start()
    await world.client.create(Node, { metadata: { name: 'n', finalizers: ['test.example.com/hold'] }, spec: {} })
    await world.advance('10s')
    {
      using _ = world.faults.always({ event: 'any', resource: Node, user: subject.program }, holdEvents())
      await world.client.delete(Node, 'n')
      await world.cluster?.actor.stripFinalizers(Node, 'default/n')
      await world.advance('10s')
    }
    await world.advance('10m')
    ensure((await dataOf(world, 'n-volume')) === undefined, 'The volume of a pod that is gone is left behind')
  },
  // Looks at the pods that there are, whenever something happens: one that is marked and gone in between is never among them.
  flawed: imitation(async (life) => {
    for await (const { type } of listAndWatch(life, Node)) {
      for (const { metadata } of (await life.client.list(Node)).items) {
        if (metadata.deletionTimestamp) await drop(life.client, `${metadata.name}-volume`)
        else if (type !== 'DELETED') await put(life.client, `${metadata.name}-volume`, '1')
      }
    }
  }),
  message: 'The volume of a pod that is gone is left behind',
  binnacle: binnacle(() => {
    const op = operator('volumes')
    op.on.create(Node, { id: 'make' }, ({ name, client }) => put(client, `${name}-volume`, '1').then(() => undefined))
    op.on.delete(Node, { id: 'end', optional: true }, ({ name, client }) => drop(client, `${name}-volume`))
    return op
  }),
})
