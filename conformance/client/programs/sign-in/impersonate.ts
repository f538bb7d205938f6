import { connect } from '@binnacle/client'

// As "kubectl --as jane --as-group dev": what jane may do, as far as our own user may impersonate her.
await using client = await connect({ impersonate: { user: 'jane', groups: ['dev'], extra: { reason: ['support'] } } })
console.log((await client.get('namespaces', 'default')).metadata.name)
