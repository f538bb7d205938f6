import { World } from '@binnacle/testing'
import { informing } from './informers.ts'
import { pod } from './pod.ts'

await using world = await World.embedded()
await world.client.create('pods', pod('web-1'))
await informing({
  client: world.client,
  stir: async () => void (await world.client.create('pods', pod('web-2'))),
  log: console.log,
})
