import { index, operator, resource } from 'binnacle'
import { expect, it } from 'vitest'
import { World } from '../../src/index.ts'
import { Kex } from '../kex.ts'
import { limitedClient } from '../limited-client.ts'

const Peg = resource({ group: 'kopf.dev', version: 'v1', kind: 'Peg' })

it('a namespace that appears later keeps back its own objects until its indices are filled, and takes nobody a place', async () => {
  await using world = await World.virtual({ resources: [Kex, Peg] })
  const closed = new Set(['x-b'])
  const lines: string[] = []
  const op = operator('late', { indices: { pegs: index(Peg, ({ namespace, name }) => ({ [namespace]: name })) } })
  op.on.create(Kex, { id: 'made' }, ({ namespace, pegs }) => pegs.get(namespace).toArray())
  const namespace = (name: string) => world.client.create('namespaces', { metadata: { name }, spec: {} })
  const make = (namespace: string, name: string) =>
    world.client.create(Kex, { metadata: { namespace, name }, spec: {} } as never)
  await namespace('x-a')
  await using running = await op.start({
    client: limitedClient(world.client, ({ resource: { plural }, namespace: its = '' }) =>
      plural === 'pegs' && closed.has(its) ? 'forbidden' : undefined,
    ),
    clock: world.clock,
    namespaces: 'x-*',
    logger: { write: (line) => lines.push(line) },
    settings: { queueing: { workerLimit: 2 } },
  })
  await namespace('x-b')
  await world.client.create(Peg, { metadata: { namespace: 'x-b', name: 'peg' }, spec: {} } as never)
  for (const name of ['1', '2', '3', '4', '5']) await make('x-b', name)
  await world.advance('1s')
  expect(running.health().gate).toMatchObject({
    open: true,
    awaited: [{ resource: 'pegs.kopf.dev', namespace: 'x-b' }],
  })

  await make('x-a', 'early')
  await world.until(Kex, { namespace: 'x-a', name: 'early' }, (object) => object?.status !== undefined)
  const { items } = await world.client.list(Kex, { namespace: 'x-b' })
  expect(items.map(({ status }) => status)).toEqual([undefined, undefined, undefined, undefined, undefined])
  await world.advance('6s')
  expect(lines.join('\n')).toContain(
    'Handlers of what has appeared since the start wait for the indices: 1 of 2 lists are complete, awaited: pegs.kopf.dev in x-b',
  )

  closed.clear()
  for (const name of ['1', '5']) {
    const object = await world.until(Kex, { namespace: 'x-b', name }, (each) => each?.status !== undefined)
    expect(object?.status).toEqual({ made: ['peg'] })
  }
  expect(running.health().gate.awaited).toEqual([])
})
