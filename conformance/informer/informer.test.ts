import { randomUUID } from 'node:crypto'
import { type Change, SharedIndexInformer } from '@binnacle/cache'
import type { Client } from '@binnacle/client'
import { AlreadyExistsError, type AnyObject, NotFoundError } from '@binnacle/core'
import { World } from '@binnacle/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Line } from './line.ts'

/** On the embedded cluster over HTTP, or with BINNACLE_WORLD=real on the one that BINNACLE_KUBECONFIG names. */
const real = process.env['BINNACLE_WORLD'] === 'real'
const kubeconfig = process.env['BINNACLE_KUBECONFIG'] ?? ''
const MINUTES = 60_000

let world: World
beforeAll(async () => {
  world = real ? await World.existing({ kubeconfig }) : await World.embedded()
}, MINUTES)
afterAll(() => world?.[Symbol.asyncDispose]())

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

async function until(condition: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`It never came to this: ${condition}`)
    await pause(0.02)
  }
}

/** So many at a time. */
async function parallel(count: number, task: (n: number) => Promise<unknown>, width = 32): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) await task(next++)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** A namespace of its own, with what a test needs in it. */
async function scene(options: { readonly pages?: boolean; readonly queue?: 'in-order' | 'delta' } = {}) {
  const namespace = `inf-${randomUUID().slice(0, 13)}`
  await world.client.create('namespaces', { metadata: { name: namespace }, spec: {} })
  const client = world.client.with({ namespace })
  const line = new Line(world.client, 'configmaps', {
    namespace,
    fields: 'metadata.name!=kube-root-ca.crt',
    ...(options.pages && { pages: true }),
  })
  const informer = new SharedIndexInformer<AnyObject>(line, {
    name: namespace,
    queue: options.queue ?? 'in-order',
    indexers: { parity: (object: AnyObject) => [object['data']?.parity ?? 'none'] },
    onWatchError: () => {},
    reflector: { inactivityTimeout: 1, initialListSilence: 1, backoff: { initial: 0.05, max: 0.5, jitter: 0.1 } },
  })
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  return {
    namespace,
    client,
    line,
    informer,
    put: (n: number, value: number) => put(client, `cm-${n}`, value),
    fresh: async () => states((await client.list('configmaps', { fields: 'metadata.name!=kube-root-ca.crt' })).items),
    cached: () => states(informer.getStore().list()),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await run
      await world.client.delete('namespaces', namespace)
    },
  }
}

async function put(client: Client, name: string, value: number): Promise<void> {
  const data = { value: String(value), parity: value % 2 ? 'odd' : 'even' }
  try {
    await client.patch('configmaps', name, { data } as never)
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    await client.create('configmaps', { metadata: { name }, data } as never)
  }
}

function states(objects: readonly AnyObject[]): string[] {
  return objects
    .map((object) => `${object.metadata.name} ${object.metadata.resourceVersion} ${JSON.stringify(object['data'])}`)
    .sort()
}

/** What a subscriber was told, as a map: it must end as the cache. */
function ledger() {
  const known = new Map<string, AnyObject>()
  const faults: string[] = []
  const tell = (change: Change<AnyObject>) => {
    if ((change.type === 'add') === known.has(change.key)) faults.push(`${change.type} of ${change.key}`)
    if (change.type === 'delete') known.delete(change.key)
    else known.set(change.key, change.object)
  }
  return { known, faults, tell }
}

describe.each(['in-order', 'delta'] as const)('an informer with the %s queue', (queue) => {
  it(
    'follows thousands of objects with churn, while its watches are closed, cut, silenced and expired',
    async () => {
      const count = queue === 'in-order' ? 10_000 : 1000
      await using at = await scene({ queue })
      const { known, faults, tell } = ledger()
      at.informer.subscribe(tell)
      await at.informer.whenSynced()
      await parallel(count, (n) =>
        at.client.create('configmaps', { metadata: { name: `cm-${n}` }, data: { value: '0', parity: 'even' } }),
      )
      let churning = true
      const churn = parallel(
        600,
        async (n) => {
          if (n % 7 === 0) await at.client.delete('configmaps', `cm-${n}`)
          else await at.put(n, n)
          await pause(0.01)
        },
        4,
      ).finally(() => {
        churning = false
      })
      const asked = at.line.requests
      let faultsMade = 0
      for (const how of ['cut', 'close', 'expired', 'quiet', 'cut', 'expired', 'close'] as const) {
        await pause(0.3)
        if (!churning && faultsMade > 4) break
        at.line.endAll(how)
        faultsMade++
      }
      await churn
      const fresh = await at.fresh()
      await until(async () => JSON.stringify(at.cached()) === JSON.stringify(fresh), 60)
      expect(faults).toEqual([])
      expect(states([...known.values()])).toEqual(fresh)
      const odd = fresh.filter((state) => state.includes('"odd"')).length
      expect(at.informer.getIndexer().byIndex('parity', 'odd')).toHaveLength(odd)
      // Each fault costs a watch and a list with its stream at most, and some waits: nothing spins.
      expect(at.line.requests - asked).toBeLessThan(faultsMade * 6 + 10)
      expect(at.informer.staleness).toBeLessThan(60)
    },
    10 * MINUTES,
  )
})

it(
  'finds out that streamed lists are ignored, and does not ask for them again',
  async () => {
    const namespace = `inf-${randomUUID().slice(0, 13)}`
    await world.client.create('namespaces', { metadata: { name: namespace }, spec: {} })
    const client = world.client.with({ namespace })
    await put(client, 'a', 1)
    const line = new Line(world.client, 'configmaps', { namespace, labels: '!none' })
    line.ignoresInitialEvents = true
    const informer = new SharedIndexInformer<AnyObject>(line, {
      onWatchError: () => {},
      reflector: { initialListSilence: 0.5 },
    })
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    await informer.whenSynced(AbortSignal.timeout(60_000))
    expect(informer.getStore().getByKey(`${namespace}/a`)).toBeDefined()
    expect(line.lists).toBe(1)
    line.endAll('expired')
    await put(client, 'b', 1)
    await until(() => informer.getStore().has(`${namespace}/b`))
    expect(line.lists).toBe(2)
    expect(line.requests).toBeLessThan(8)
    stop.abort()
    await run
    await world.client.delete('namespaces', namespace)
  },
  MINUTES,
)

it(
  'lives on lists, with growing waits, where watches are closed at once',
  async () => {
    await using at = await scene({ pages: true })
    await at.informer.whenSynced()
    at.line.closesWatches = true
    at.line.endAll('close')
    await at.put(1, 1)
    await until(() => at.informer.getStore().size === 1)
    const asked = at.line.requests
    await pause(2)
    // Half a second at the most between two tries, each a list and a watch.
    expect(at.line.requests - asked).toBeLessThan(20)
    at.line.closesWatches = false
    await at.put(2, 2)
    await until(async () => JSON.stringify(at.cached()) === JSON.stringify(await at.fresh()))
  },
  MINUTES,
)

it(
  'shows how long a watch has been silent, and opens it again',
  async () => {
    await using at = await scene()
    await at.put(1, 1)
    await until(() => at.informer.getStore().size === 1)
    const watches = at.line.watches
    at.line.endAll('quiet')
    await pause(0.5)
    expect(at.informer.staleness).toBeGreaterThan(0.3)
    await at.put(2, 2)
    await until(() => at.informer.getStore().size === 2)
    expect(at.line.watches).toBeGreaterThan(watches)
    expect(at.informer.staleness).toBeLessThan(5)
  },
  MINUTES,
)

it(
  'ends as the server is after the schema of a kind has changed',
  async () => {
    const plural = `gadgets${randomUUID().slice(0, 8)}`
    const group = 'informer.example.com'
    const schema = (more: object) => ({
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, ...more } } },
      },
    })
    const version = (more: object) => ({ name: 'v1', served: true, storage: true, schema: schema(more) })
    const kind = `Gadget${plural.slice(7)}`
    await world.client.create('customresourcedefinitions.apiextensions.k8s.io', {
      metadata: { name: `${plural}.${group}` },
      spec: { group, scope: 'Namespaced', names: { plural, kind }, versions: [version({})] },
    } as never)
    const resource = `${plural}.v1.${group}`
    const client = world.client.with({ namespace: 'default' })
    await until(async () => {
      try {
        await client.list(resource)
        return true
      } catch {
        return false
      }
    })
    for (const name of ['a', 'b']) await client.create(resource, { metadata: { name }, spec: { size: 1 } } as never)
    const line = new Line(world.client, resource, { namespace: 'default' })
    const informer = new SharedIndexInformer<AnyObject>(line, {
      onWatchError: () => {},
      reflector: { backoff: { initial: 0.05, max: 0.5, jitter: 0.1 } },
    })
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    await informer.whenSynced(AbortSignal.timeout(60_000))
    await world.client.patch('customresourcedefinitions.apiextensions.k8s.io', `${plural}.${group}`, {
      spec: { versions: [version({ colour: { type: 'string', default: 'red' } })] },
    } as never)
    const specs = (objects: readonly AnyObject[]) =>
      objects.map(({ metadata, spec }) => `${metadata.name} ${JSON.stringify(spec)}`).sort()
    await until(async () => specs((await client.list(resource)).items).every((text) => text.includes('red')))
    await client.create(resource, { metadata: { name: 'c' }, spec: { size: 3 } } as never)
    await client.patch(resource, 'a', { spec: { size: 2 } } as never)
    const asked = line.requests
    await until(() => informer.getStore().size === 3)
    await until(async () => informer.getStore().getByKey('default/a')?.['spec']?.size === 2)
    // A watch from before goes on for a while, and tells objects as the old schema has them: each shows its new default at a later change.
    const isEqual = async () =>
      JSON.stringify(specs(informer.getStore().list())) === JSON.stringify(specs((await client.list(resource)).items))
    for (let turn = 1; !(await isEqual()); turn++) {
      if (turn > 60) throw new Error(`Never equal: ${specs(informer.getStore().list())}`)
      for (const name of ['a', 'b', 'c'])
        await client.patch(resource, name, { metadata: { labels: { touched: `${turn}` } } } as never)
      await pause(1)
    }
    expect(line.requests - asked).toBeLessThan(30)
    stop.abort()
    await run
    await world.client.delete('customresourcedefinitions.apiextensions.k8s.io', `${plural}.${group}`)
  },
  MINUTES,
)

it(
  'a slow handler costs bounded memory, keeps the watch alive, and hears of the newest state of every object',
  async () => {
    await using at = await scene()
    const heard = new Map<string, string>()
    let calls = 0
    at.informer.addEventHandler(
      {
        onAdd: async (object) => {
          calls++
          await pause(0.02)
          heard.set(object.metadata.name, object['data']?.value)
        },
        onUpdate: async (_, object) => {
          calls++
          await pause(0.02)
          heard.set(object.metadata.name, object['data']?.value)
        },
      },
      { buffer: 10 },
    )
    await at.informer.whenSynced()
    const watches = at.line.watches
    for (let round = 0; round < 40; round++) await parallel(5, (n) => at.put(n, round * 10 + n), 5)
    await until(() => at.cached().length === 5 && at.cached().every((state) => /"39\d"/.test(state)))
    await until(() => heard.size === 5 && [...heard.values()].every((value) => value.startsWith('39')))
    expect(calls).toBeLessThan(200)
    expect(at.line.watches).toBe(watches)
  },
  MINUTES,
)

it(
  'A2: objects and labels with names that mean something to JavaScript are ordinary',
  async () => {
    const namespace = 'constructor'
    // It stays: without its controller a cluster never lets go of a namespace, and the next run needs it again.
    await world.client.create('namespaces', { metadata: { name: namespace }, spec: {} }).catch((error) => {
      if (!(error instanceof AlreadyExistsError)) throw error
    })
    const client = world.client.with({ namespace })
    const informer = new SharedIndexInformer<AnyObject>(
      new Line(world.client, 'configmaps', { namespace, labels: 'toString' }),
      {
        indexers: { label: (object: AnyObject) => Object.keys(object.metadata.labels ?? {}) },
        onWatchError: () => {},
      },
    )
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    await informer.whenSynced(AbortSignal.timeout(60_000))
    const labels = { toString: 'a', hasOwnProperty: 'b', constructor: 'c', valueOf: 'd' }
    for (const name of ['constructor', 'prototype', 'valueof']) {
      await client.create('configmaps', {
        metadata: { name, labels },
        data: { constructor: 'x', toString: 'y' },
      } as never)
    }
    await until(() => informer.getStore().size === 3)
    expect(informer.getIndexer().indexKeys('label', 'hasOwnProperty')).toHaveLength(3)
    expect(informer.getIndexer().listIndexFuncValues('label').sort()).toEqual(Object.keys(labels).sort())
    expect(informer.getIndexer().indexKeys('label', '__proto__')).toEqual([])
    for (const name of ['constructor', 'prototype']) await client.delete('configmaps', name)
    await until(() => informer.getStore().size === 1)
    stop.abort()
    await run
    await client.delete('configmaps', 'valueof')
  },
  MINUTES,
)

it(
  'A7: huge and long objects harm nobody else',
  async () => {
    await using at = await scene()
    await at.informer.whenSynced()
    const entries = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`key-${n}`, `value-${n}`]))
    await at.client.create('configmaps', { metadata: { name: 'long' }, data: entries } as never)
    await at.client.create('configmaps', { metadata: { name: 'huge' }, data: { blob: 'x'.repeat(900_000) } } as never)
    await at.put(1, 1)
    await until(() => at.informer.getStore().size === 3)
    expect(at.informer.getStore().getByKey(`${at.namespace}/huge`)?.['data'].blob).toHaveLength(900_000)
    at.line.endAll('expired')
    await at.put(2, 2)
    await until(() => at.informer.getStore().size === 4)
  },
  MINUTES,
)
