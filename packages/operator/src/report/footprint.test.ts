import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { bytesPerObject } from './footprint.ts'

/** Different texts in each, as objects of a cluster have them. */
const made = (i: number) => ({
  kind: 'Pod',
  metadata: {
    name: `some-application-${i}`,
    namespace: 'default',
    uid: `00000000-0000-4000-8000-${i}`,
    labels: { app: `a${i}` },
  },
  spec: {
    containers: [{ name: 'main', image: `registry.example.com/some/image:${i}`, ports: [{ containerPort: 8080 + i }] }],
  },
})

it('is near to what the heap grows by', () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  const texts = Array.from({ length: 20_000 }, (_, i) => JSON.stringify(made(i)))
  gc()
  const before = process.memoryUsage().heapUsed
  const objects = texts.map((text) => JSON.parse(text) as unknown)
  gc()
  const measured = (process.memoryUsage().heapUsed - before) / objects.length
  const told = bytesPerObject(objects) ?? 0
  expect(told / measured).toBeGreaterThan(0.6)
  expect(told / measured).toBeLessThan(1.6)
})

it('is nothing where there is nothing', () => {
  expect(bytesPerObject([])).toBeUndefined()
})
