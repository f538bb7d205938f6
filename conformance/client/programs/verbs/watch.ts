import { connect } from '@binnacle/client'

await using client = await connect()

const { metadata } = await client.list('configmaps')
const options = { resourceVersion: metadata.resourceVersion, bookmarks: true, serverTimeout: '1s' } as const
for await (const event of client.watch('configmaps', options)) {
  if (event.type === 'ERROR') throw new Error(event.object.message) // 410: list again
  console.log(event.type, event.object.metadata.name)
}
console.log('the server has ended the watch; an informer would open it again')
