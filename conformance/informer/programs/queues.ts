import { DeltaFIFO, FIFO, FIFOClosedError, InOrderFIFO, metaNamespaceKeyFunc, RequeueError } from '@binnacle/cache'
import type { KubeObject } from '@binnacle/core'

const object = (name: string, resourceVersion: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid: name, resourceVersion },
})

// FIFO: each key once, with its newest object.
const newest = new FIFO<KubeObject>(metaNamespaceKeyFunc)
newest.add(object('a', '1'))
newest.update(object('a', '2'))
await newest.pop(({ metadata }) => console.log('newest', metadata.resourceVersion))

// DeltaFIFO: each key once, with all that happened to it. What cannot be processed goes back.
const changes = new DeltaFIFO<KubeObject>()
changes.add(object('a', '1'))
changes.delete(object('a', '2'))
let attempts = 0
while (changes.size > 0) {
  await changes.pop((deltas) => {
    if (attempts++ === 0) throw new RequeueError()
    console.log('deltas', deltas.map(({ type }) => type).join(', '))
  })
}

// InOrderFIFO, the default of informers: every change as it came, and a list as one.
const ordered = new InOrderFIFO<KubeObject>()
ordered.replace([object('a', '1'), object('b', '1')], '1')
ordered.update(object('b', '2'))
ordered.close()
try {
  for (;;) await ordered.popBatch((batch) => console.log('batch', batch.map(({ type }) => type).join(', ')))
} catch (error) {
  if (!(error instanceof FIFOClosedError)) throw error
}
