import { connect } from '@binnacle/client'

await using client = await connect()

const settings = await client.create('configmaps', { metadata: { generateName: 'edited-' }, data: { count: '1' } })

// Replaces the whole object; a ConflictError says that somebody else was faster.
await client.replace('configmaps', { ...settings, data: { count: '2' } })

// Reads, edits and replaces, and starts over on conflict.
const { data } = await client.edit('configmaps', settings.metadata.name, (draft) => {
  draft.data = { count: String(Number(draft.data?.['count']) + 1) }
})
console.log(data)
