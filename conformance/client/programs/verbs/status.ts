import { connect } from '@binnacle/client'

await using client = await connect()

const { metadata } = await client.create('pods', {
  metadata: { generateName: 'status-' },
  spec: { containers: [{ name: 'web', image: 'web:1' }] },
})
// Every subresource is reached by its name, in get, create, replace, patch, apply and edit alike.
const subresource = 'status'
const { status } = await client.patch('pods', metadata.name, { status: { message: 'hello' } }, { subresource })
console.log(status?.message)
