import { World } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { informing } from './informers.ts'
import { pod } from './pod.ts'

it('goes through the building blocks of the informer pattern, from the list to the worker', async () => {
  await using world = await World.embedded()
  await world.client.create('pods', pod('web-1'))
  const lines: unknown[][] = []
  await informing({
    client: world.client,
    stir: async () => void (await world.client.create('pods', pod('web-2'))),
    log: (...line) => void lines.push(line),
  })
  const said = new Map(lines.map(([what, ...rest]) => [what, rest]))
  expect(said.get('listed')).toEqual([['web-1']])
  expect(said.get('watched')).toEqual(['ADDED', 'web-2'])
  expect(lines.filter(([what]) => what === 'popped')).toHaveLength(1)
  expect(said.get('reflected')).toEqual([2])
  expect(said.get('controlled')).toEqual([true, 2])
  expect(said.get('shared')).toEqual([2, true, true])
  expect(said.get('on node1')).toEqual([2])
  expect(said.get('worked')).toEqual([['default/web-1 is there', 'default/web-2 is there']])
  expect(said.get('lister')).toEqual(['web-1'])
  expect(said.get('namespace')).toEqual(['default'])
  expect(said.get('change')?.[0]).toBe('add')
})
