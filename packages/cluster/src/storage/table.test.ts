import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../object.ts'
import { keyOf, Table } from './table.ts'

const object = (namespace: string, name: string, value: number): KubeObject => ({
  kind: 'Thing',
  apiVersion: 'v1',
  metadata: { namespace, name },
  value,
})

const step = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.constantFrom('x', 'y', 'z'),
  value: fc.option(fc.nat(9), { nil: undefined }),
})

const shown = (records: readonly { readonly object: KubeObject }[]) =>
  records.map(({ object: o }) => `${o.metadata.namespace}/${o.metadata.name}=${o.value}@${o.metadata.resourceVersion}`)

describe('a table', () => {
  it('lists in the order of keys, and every remembered state of the past exactly (property)', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 20 }), (steps, size) => {
        const table = new Table('t', size, 0)
        const model = new Map<string, string>()
        const past: string[][] = [[]]
        let revision = 0
        for (const { namespace, name, value } of steps) {
          const key = keyOf(namespace, name)
          if (value === undefined && !model.has(key)) continue
          revision++
          if (value === undefined) {
            table.remove(key, revision)
            model.delete(key)
          } else {
            table.put(key, object(namespace, name, value), revision)
            model.set(key, `${key}=${value}@${revision}`)
          }
          past.push([...model].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text))
          expect(shown(table.list(''))).toEqual(past[revision])
        }
        for (let at = 0; at <= revision; at++) {
          const listed = table.listAt(at, '')
          const remembered = at >= revision - size
          expect(listed === undefined).toBe(!remembered)
          if (listed) expect(shown(listed)).toEqual(past[at])
        }
      }),
    )
  })

  it('keeps namespaces apart, also when one name begins with the other', () => {
    const table = new Table('t', 10, 0)
    for (const [i, namespace] of ['a', 'a-b', 'b'].entries())
      table.put(`${namespace}/x`, object(namespace, 'x', i), i + 1)
    expect(shown(table.list('a'))).toEqual(['a/x=0@1'])
    expect(shown(table.listAt(1, 'a') ?? [])).toEqual(['a/x=0@1'])
  })
})
