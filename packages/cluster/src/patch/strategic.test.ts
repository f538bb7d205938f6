import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { Kinds } from '../kinds/kinds.ts'
import { shapeOfKind } from '../kinds/shapes.ts'
import { StrategicFailure, strategicPatch } from './strategic.ts'

const found = new Kinds().byKind('apps/v1', 'Deployment')
if (!found) throw new Error('no deployments')
const shape = shapeOfKind(found.kind, found.version)

const containers = (...list: JsonObject[]): JsonObject => ({ spec: { template: { spec: { containers: list } } } })
const pod = (part: JsonObject): JsonObject => ({ spec: { template: { spec: part } } })

describe('a strategic merge patch', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'merges containers by name',
      containers({ name: 'a', image: '1' }, { name: 'b', image: '1' }),
      containers({ name: 'b', image: '2' }),
      containers({ name: 'a', image: '1' }, { name: 'b', image: '2' }),
    ],
    [
      'puts new items first, as the original does',
      containers({ name: 'a' }),
      containers({ name: 'n' }),
      containers({ name: 'n' }, { name: 'a' }),
    ],
    [
      'deletes an item by its key',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ name: 'a', $patch: 'delete' }),
      containers({ name: 'b' }),
    ],
    [
      'replaces a whole list when told',
      containers({ name: 'a' }, { name: 'b' }),
      containers({ $patch: 'replace' }, { name: 'c' }),
      containers({ name: 'c' }),
    ],
    [
      'replaces an object when told',
      { metadata: { labels: { a: '1' } } },
      { metadata: { labels: { $patch: 'replace', b: '2' } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'orders by directive, the rest by the order of the server',
      containers({ name: 'a' }, { name: 'b' }, { name: 'c' }),
      pod({ '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] }),
      containers({ name: 'b' }, { name: 'c' }, { name: 'a' }),
    ],
    [
      'takes items from a list of plain values',
      { metadata: { finalizers: ['a', 'b', 'c'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['b'] } },
      { metadata: { finalizers: ['a', 'c'] } },
    ],
    [
      'keeps only the keys that are retained',
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate' } } },
    ],
    [
      'replaces tolerations as a whole',
      pod({ tolerations: [{ key: 'a' }] }),
      pod({ tolerations: [{ key: 'b' }] }),
      pod({ tolerations: [{ key: 'b' }] }),
    ],
    [
      'removes by null',
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { a: null } } },
      { metadata: { labels: { b: '2' } } },
    ],
    [
      'brings no directives where nothing was',
      {},
      containers({ name: 'a', $patch: 'delete' }, { name: 'b' }),
      containers({ name: 'b' }),
    ],
  ])('%s', (_, original, patch, expected) => {
    expect(strategicPatch(original, patch, shape)).toEqual(expected)
  })

  it('refuses directives and items that it cannot understand', () => {
    expect(() => strategicPatch({}, { $patch: 'bogus' }, shape)).toThrow(StrategicFailure)
    const nameless = containers({ image: '1' })
    expect(() => strategicPatch(containers({ name: 'a' }), nameless, shape)).toThrow('merge key')
  })
})
