/**
 * The framework's own stories, each told under every fault: lives of objects with retries and steps, updates amid progress, deletions with
 * finalizers, daemons and timers, indices over relists, two operators on one kind.
 * @typedef {import('@binnacle/testing').Scenario} Scenario
 * @typedef {import('@binnacle/testing').World} World
 */
import { index, operator, resource, TemporaryError } from 'binnacle'

const Kex = resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample', plural: 'kopfexamples' })

/** @param {string} name @param {string} field */
const example = (name, field = 'x') => ({ metadata: { name, namespace: 'default' }, spec: { field } })

/** @param {string} name @param {string} of */
const map = (name, of) => ({ metadata: { name, namespace: 'default', labels: { of } }, data: {} })

/** @param {number} times */
const notBefore =
  (times, delay = 10) =>
  (/** @type {{ retry: number }} */ { retry }) => {
    if (retry < times) throw new TemporaryError('not yet', { delay })
    return 'done'
  }

function creator() {
  const op = operator('creator')
  op.on.create(Kex, { id: 'first' }, () => 'one')
  op.on.create(Kex, { id: 'second' }, notBefore(2))
  op.on.create(Kex, { id: 'third' }, async ({ step }) => await step('part', () => 'three'))
  return op
}

function updater() {
  const op = operator('updater')
  op.on.create(Kex, { id: 'slow' }, notBefore(2, 20))
  op.on.field(Kex, { id: 'field', field: 'spec.field' }, ({ current }) => ({ field: current ?? null }))
  return op
}

function remover() {
  const op = operator('remover')
  op.on.create(Kex, ({ patch }) => {
    patch.status.phase = 'Ready'
  })
  op.on.delete(Kex, { id: 'unmount' }, notBefore(1))
  op.on.delete(Kex, { id: 'erase' }, () => {})
  return op
}

function keeper() {
  const op = operator('keeper')
  op.daemon(Kex, { cancellationTimeout: '5s' }, async ({ stopped }) => {
    while (!stopped.aborted) await stopped.wait('7s')
  })
  // Without a limit to its patience: nothing but the stop itself ends this wait.
  op.daemon(Kex, { id: 'faithful' }, async ({ stopped }) => {
    await stopped.wait()
  })
  op.timer(Kex, { interval: '45s', initialDelay: '5s' }, ({ patch }) => {
    patch.status.checked = true
  })
  op.on.delete(Kex, () => {})
  return op
}

function indexer() {
  const op = operator('indexer', {
    indices: {
      byField: index(Kex, ({ name, spec }) => ({ [String(spec.field)]: name })),
      maps: index('configmaps', ({ name, labels }) => (labels.of ? { [String(labels.of)]: name } : undefined)),
    },
  })
  op.on.create(Kex, { id: 'count', labels: { count: 'yes' } }, ({ byField, maps, name, patch, spec }) => {
    patch.status.peers = [...byField.get(String(spec.field))].sort()
    patch.status.maps = [...maps.get(name)].sort()
  })
  return op
}

/** For objects that are gone and there again within one gap of a watch, by their names alone the same. It holds none: whoever forces an object away has his way. */
function successor() {
  const op = operator('successor', {
    indices: { all: index(Kex, ({ name, uid }) => ({ [name]: uid })) },
  })
  op.on.create(Kex, { id: 'settle' }, async ({ name, client, adopt, patch }) => {
    await client.apply('configmaps', adopt({ metadata: { name: `${name}-child` }, data: { of: name } }))
    patch.status.settled = true
  })
  op.on.update(Kex, { id: 'count' }, ({ name, all, patch }) => {
    patch.status.namesakes = [...all.get(name)].length
  })
  return op
}

/** @param {string} name */
function neighbour(name) {
  const op = operator(name)
  op.on.create(Kex, { id: `${name}-create` }, notBefore(1))
  op.on.update(Kex, { id: `${name}-update` }, ({ current }) => ({ field: current.spec.field }))
  op.on.delete(Kex, { id: `${name}-delete` }, () => {})
  return op
}

/** @type {readonly Scenario[]} */
export const SCENARIOS = [
  {
    name: 'create with retries and steps',
    resources: [Kex],
    story: async (world) => {
      await world.start(creator(), {}, creator)
      for (const name of ['a', 'b']) await world.client.create(Kex, example(name))
      await world.advance('1m')
    },
  },
  {
    name: 'update in the middle of progress',
    resources: [Kex],
    story: async (world) => {
      await world.client.create(Kex, example('old'))
      await world.start(updater(), {}, updater)
      await world.client.create(Kex, example('a'))
      await world.advance('15s')
      await world.client.patch(Kex, 'default/a', { spec: { field: 'y' } })
      await world.advance('1m')
      await world.client.patch(Kex, 'default/a', { spec: { field: 'z' } })
      await world.advance('1m')
    },
  },
  {
    name: 'deletion with finalizers',
    resources: [Kex],
    story: async (world) => {
      await world.start(remover(), {}, remover)
      for (const name of ['a', 'b']) await world.client.create(Kex, example(name))
      await world.advance('10s')
      await world.client.delete(Kex, 'default/a')
      await world.advance('30s')
      await world.client.create(Kex, example('a', 'again'))
      await world.advance('10s')
      await world.client.delete(Kex, 'default/a')
      await world.advance('30s')
    },
  },
  {
    name: 'daemons and timers',
    resources: [Kex],
    story: async (world) => {
      await world.start(keeper(), {}, keeper)
      for (const name of ['a', 'b']) await world.client.create(Kex, example(name))
      await world.advance('2m')
      await world.client.delete(Kex, 'default/a')
      await world.advance('1m')
    },
  },
  {
    name: 'indices over relists',
    resources: [Kex],
    story: async (world) => {
      for (const name of ['a', 'b', 'c']) await world.client.create(Kex, example(name))
      for (const name of ['m', 'n']) await world.client.create('configmaps', map(name, 'a'))
      await world.client.create(Kex, {
        metadata: { name: 'd', namespace: 'default', labels: { count: 'yes' } },
        spec: { field: 'd' },
      })
      await world.client.create('configmaps', map('of-d', 'd'))
      await world.start(indexer(), {}, indexer)
      await world.client.patch(Kex, 'default/b', { spec: { field: 'y' } })
      await world.client.delete(Kex, 'default/c')
      await world.client.delete('configmaps', 'default/m')
      await world.settled()
      await world.client.patch(Kex, 'default/a', { metadata: { labels: { count: 'yes' } } })
      await world.advance('30s')
    },
  },
  {
    name: 'recreated under the same name',
    resources: [Kex],
    story: async (world) => {
      await world.start(successor(), {}, successor)
      for (const name of ['a', 'b']) await world.client.create(Kex, example(name))
      await world.advance('10s')
      // Somebody forces it away, and makes it anew at once: no delete handler has its turn.
      await world.cluster?.actor.recreate(Kex, 'default/a')
      await world.advance('10s')
      for (const name of ['a', 'b']) await world.client.patch(Kex, `default/${name}`, { spec: { field: 'y' } })
      await world.advance('10s')
      await world.client.delete(Kex, 'default/b')
      await world.advance('30s')
    },
  },
  {
    name: 'two operators on one kind',
    resources: [Kex],
    story: async (world) => {
      for (const name of ['one', 'two']) await world.start(neighbour(name), {}, () => neighbour(name))
      await world.client.create(Kex, example('a'))
      await world.advance('30s')
      await world.client.patch(Kex, 'default/a', { spec: { field: 'y' } })
      await world.advance('30s')
      await world.client.delete(Kex, 'default/a')
      await world.advance('30s')
    },
  },
]
