import { AlreadyExistsError, connect } from '@binnacle/client'

await using client = await connect()

try {
  const { metadata } = await client.create('configmaps', { metadata: { name: 'settings' }, data: { color: 'blue' } })
  console.log(metadata.uid)
} catch (error) {
  if (!(error instanceof AlreadyExistsError)) throw error
  console.log('it was there already')
}
