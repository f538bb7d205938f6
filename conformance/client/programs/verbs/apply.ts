import { connect } from '@binnacle/client'

await using client = await connect({ fieldManager: 'my-tool' })

// Creates or changes; what was applied before and is not any more goes; what others have set stays.
const { data } = await client.apply('configmaps', { metadata: { name: 'applied' }, data: { color: 'blue' } })
console.log(data)

// Fields of other managers are taken over, unless force is false: then a ConflictError names them.
await client.apply('configmaps', { metadata: { name: 'applied' }, data: { color: 'red' } }, { force: false })
