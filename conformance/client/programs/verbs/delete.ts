import { connect } from '@binnacle/client'

await using client = await connect()

const labels = { purpose: 'example' }
const settings = await client.create('configmaps', { metadata: { generateName: 'deleted-', labels }, data: {} })

// Given an object, only this very one is deleted, and not one that has taken its name. False: there was nothing.
console.log(await client.delete('configmaps', settings, { propagation: 'Foreground' }))

// All that is selected, in one request.
await client.deleteAll('configmaps', { labels })
