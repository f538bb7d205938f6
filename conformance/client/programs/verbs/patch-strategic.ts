import { connect } from '@binnacle/client'

await using client = await connect()

const { metadata } = await client.create('pods', {
  metadata: { generateName: 'strategic-' },
  spec: {
    containers: [
      { name: 'web', image: 'web:1' },
      { name: 'log', image: 'log:1' },
    ],
  },
})
// Built-in kinds merge lists by the key of their items: the container "web" stays.
const patch = { spec: { containers: [{ name: 'log', image: 'log:2' }] } }
const { spec } = await client.patch('pods', metadata.name, patch, { strategy: 'strategic' })
console.log(spec.containers.map(({ image }) => image))
