import { type Operator, operator, type RunOptions, resource } from 'binnacle'
import { expect, it } from 'vitest'
import { World } from '../../src/index.ts'
import { Kex } from '../kex.ts'
import { limitedClient } from '../limited-client.ts'

/** An operator that may not list or watch these, by their plurals. */
async function start(world: World, op: Operator, closed: ReadonlySet<string>, options: RunOptions = {}) {
  const lines: string[] = []
  const running = await op.start({
    client: limitedClient(world.client, ({ resource: { plural } }) => (closed.has(plural) ? 'forbidden' : undefined)),
    clock: world.clock,
    logger: { write: (line) => lines.push(line) },
    ...options,
  })
  const said = (part: string) => lines.filter((line) => line.includes(part)).length
  return { running, said, [Symbol.asyncDispose]: () => running.stop() }
}

const namespace = (world: World, name: string) => world.client.create('namespaces', { metadata: { name }, spec: {} })
const make = (world: World, at: string, name = 'a') =>
  world.client.create(Kex, { metadata: { namespace: at, name }, spec: {} } as never)

it('namespaces that may not be watched are served if they are named exactly, and the others once it is granted', async () => {
  await using world = await World.virtual({ resources: [Kex] })
  const closed = new Set(['namespaces'])
  const op = operator('limited')
  op.on.create(Kex, { id: 'made' }, () => 'yes')
  await namespace(world, 'apps-a')
  await namespace(world, 'one')
  await using subject = await start(world, op as Operator, closed, { namespaces: ['apps-*', 'one'] })
  await make(world, 'one')
  await make(world, 'apps-a')
  await world.until(Kex, { namespace: 'one', name: 'a' }, (object) => object?.status !== undefined)
  expect(subject.running.health().streams.map(({ namespace: at }) => at)).toEqual(['one'])
  expect(subject.running.health().scope.namespaces).toMatchObject({ state: 'failed' })
  await world.advance('5m')
  expect(subject.said('The operator may not list or watch namespaces: of the namespaces that it is to serve')).toBe(1)
  expect(subject.said('verbs: [\\"list\\", \\"watch\\"]')).toBe(1)
  closed.clear()
  await world.until(Kex, { namespace: 'apps-a', name: 'a' }, (object) => object?.status !== undefined)
  expect(subject.running.health().scope.namespaces).toEqual({ state: 'watching' })
})

it('definitions that may not be watched are looked for from time to time', async () => {
  await using world = await World.virtual({ resources: [Kex] })
  const Late = resource({ group: 'late.dev', version: 'v1', kind: 'Late' })
  const op = operator('limited')
  op.on.create(Late, { id: 'made' }, () => 'yes')
  await using subject = await start(world, op as Operator, new Set(['customresourcedefinitions']))
  await world.install(Late)
  await world.client.create(Late, { metadata: { namespace: 'default', name: 'a' }, spec: {} } as never)
  await world.advance('35s')
  const late = await world.client.get(Late, { namespace: 'default', name: 'a' })
  expect(late.status).toEqual({ made: 'yes' })
  expect(subject.said('kinds that come or go are noticed every 30 s instead of at once')).toBe(1)
  await world.client.delete('customresourcedefinitions.apiextensions.k8s.io', 'lates.late.dev')
  await world.advance('35s')
  expect(subject.running.health()).toMatchObject({ streams: [], scope: { awaited: [{ resource: 'lates.late.dev' }] } })
})

it('kinds of Kubernetes itself need no watch of definitions', async () => {
  await using world = await World.virtual()
  const op = operator('plain')
  op.on.event('configmaps', () => {})
  await using subject = await start(world, op as Operator, new Set(['customresourcedefinitions']))
  await world.advance('10m')
  expect(subject.running.health().scope).toEqual({
    awaited: [],
    definitions: { state: 'off' },
    namespaces: { state: 'off' },
  })
  expect(subject.said('may not')).toBe(0)
})

it('without scanning a pattern is looked up once, and a kind that appears later is not', async () => {
  await using world = await World.virtual({ resources: [Kex] })
  const op = operator('still')
  op.on.create(Kex, { id: 'made' }, () => 'yes')
  await namespace(world, 'apps-a')
  const settings = { scanning: { disabled: true } }
  await using subject = await start(world, op as Operator, new Set(), { namespaces: 'apps-*', settings })
  await namespace(world, 'apps-b')
  await make(world, 'apps-a')
  await world.until(Kex, { namespace: 'apps-a', name: 'a' }, (object) => object?.status !== undefined)
  expect(subject.running.health().streams.map(({ namespace: at }) => at)).toEqual(['apps-a'])
  expect(subject.running.health().scope.namespaces).toEqual({ state: 'off' })
})

it('a kind whose last version is served no more is forgotten, without a word of a deletion', async () => {
  await using world = await World.virtual({ resources: [Kex] })
  const told: string[] = []
  const op = operator('discreet')
  op.on.event(Kex, { id: 'events' }, ({ type }) => void told.push(String(type)))
  op.on.delete(Kex, { id: 'gone', optional: true }, () => void told.push('gone'))
  op.daemon(Kex, { id: 'company', finalizer: false }, async ({ stopped }) => {
    await stopped.wait()
    told.push(String(stopped.reason?.why))
  })
  await using subject = await start(world, op as Operator, new Set())
  await make(world, 'default')
  await world.advance('1s')
  const definitions = 'customresourcedefinitions.apiextensions.k8s.io'
  await world.client.edit(definitions, 'kopfexamples.kopf.dev', (draft) => {
    for (const version of (draft as { spec: { versions: { served: boolean }[] } }).spec.versions) version.served = false
  })
  await world.advance('5s')
  expect(subject.running.health().streams).toEqual([])
  expect(told).toEqual(['ADDED', 'MODIFIED', 'filters-mismatch'])
  await world.client.edit(definitions, 'kopfexamples.kopf.dev', (draft) => {
    for (const version of (draft as { spec: { versions: { served: boolean }[] } }).spec.versions) version.served = true
  })
  await world.advance('5s')
  expect(subject.running.health().background.running).toBe(1)
})
