import { SharedInformerFactory } from '@binnacle/cache'
import { connect } from '@binnacle/client'

await using client = await connect()

// One informer for each resource and scope, however many ask for it; by name, typed or not, or of metadata alone.
await using factory = new SharedInformerFactory(client, { resync: '10h' })
const namespaces = factory.listerFor('namespaces')
factory.start(AbortSignal.timeout(60_000))
await factory.whenSynced()

// Listers read out of the cache what one would otherwise ask the server for.
console.log(namespaces.get('default').metadata.name, namespaces.list('no-such-label').length)

// A share in another kind, for as long as it is needed: the last one to let go stops its watch.
{
  await using accounts = factory.acquire('serviceaccounts', { namespace: 'default' })
  await accounts.informer.whenSynced()
  console.log(accounts.lister.byNamespace('default').list().length >= 0, factory.names.length)
}
console.log(factory.names)
