import { ListWatch, PriorityQueue, SharedInformer } from '@binnacle/cache'
import { connect } from '@binnacle/client'

await using client = await connect()
await client.apply('configmaps', { metadata: { name: 'settings' }, data: { color: 'blue' } })

// Handlers put keys into a queue; a key waits once, and is never worked on twice at a time.
const work = new PriorityQueue<string>()
await using informer = new SharedInformer(new ListWatch(client, 'configmaps'))
const handler = informer.addEventHandler({
  onAdd: ({ metadata }, isInInitialList) =>
    work.addWithOptions({ priority: isInInitialList ? -100 : 0 }, `${metadata.namespace}/${metadata.name}`),
  onUpdate: (_, { metadata }) => work.add(`${metadata.namespace}/${metadata.name}`),
  onDelete: ({ key }) => work.add(key),
})
void informer.run(AbortSignal.timeout(60_000))
await handler.whenSynced()

// The worker looks at the present state: what happened in between does not matter.
const drained = work.shutDownWithDrain()
for await (const key of work) {
  try {
    console.log(key, informer.getStore().has(key) ? 'is there' : 'is gone')
    work.forget(key)
  } catch {
    work.addRateLimited(key) // later, and later each time
  } finally {
    work.done(key)
  }
}
await drained
