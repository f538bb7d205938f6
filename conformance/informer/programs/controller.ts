import {
  Controller,
  DeletedFinalStateUnknown,
  DeltaFIFO,
  Indexer,
  ListWatch,
  metaNamespaceKeyFunc,
} from '@binnacle/cache'
import { type ConfigMap, connect } from '@binnacle/client'

await using client = await connect()
await client.apply('configmaps', { metadata: { name: 'settings' }, data: { color: 'blue' } })

// A reflector, a queue that knows what is there already, and what to do with what comes out of it.
const world = new Indexer<ConfigMap>(metaNamespaceKeyFunc)
const controller = new Controller<ConfigMap>({
  listerWatcher: new ListWatch(client, 'configmaps'),
  queue: new DeltaFIFO<ConfigMap>({ knownObjects: world }),
  fullResyncPeriod: '10h',
  process: (deltas) => {
    for (const { type, object } of deltas) {
      // A deletion that nobody saw is a tombstone: the key was known, and is missing from a new list.
      const last = object instanceof DeletedFinalStateUnknown ? object.obj : object
      if (last && type === 'Deleted') world.delete(last)
      else if (last) world.update(last)
    }
  },
})
const stop = new AbortController()
const run = controller.run(stop.signal)
await controller.whenSynced(stop.signal)
console.log(world.size > 0, controller.lastSyncResourceVersion !== '')
stop.abort()
await run
