import fc from 'fast-check'
import { expect, it } from 'vitest'
import { metaNamespaceKeyFunc } from '../keys.ts'
import { CellStore } from './thread-safe-store.ts'

const part = fc.constantFrom('a', 'b', 'a/b', 'b/a', '/', 'a/', '__proto__')
const object = fc.record({ namespace: fc.option(part, { nil: undefined }), name: part }).map((metadata) => ({
  metadata: { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) },
}))
type Named = { readonly metadata: { readonly name: string; readonly namespace?: string } }
const asObject = (named: Named) => named as Parameters<typeof metaNamespaceKeyFunc>[0]

it('finds by name what has the key of that name, and nothing else, whatever slashes names contain', () => {
  const step = fc.record({ how: fc.constantFrom('add', 'delete', 'replace'), object, others: fc.array(object) })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const store = new CellStore<Named>()
      for (const { how, object: one, others } of steps) {
        const key = metaNamespaceKeyFunc(asObject(one))
        if (how === 'add') store.update(key, one)
        else if (how === 'delete') store.delete(key)
        else store.replace(new Map(others.map((each) => [metaNamespaceKeyFunc(asObject(each)), each])), '1')
        expect(store.broken()).toEqual([])
        for (const each of [one, ...others]) {
          const cell = store.cellOf(each)
          if (cell) expect(cell.object).toBe(store.get(metaNamespaceKeyFunc(asObject(each))))
        }
      }
    }),
  )
})

it('finds no cell for what has no name', () => {
  const store = new CellStore<unknown>()
  store.update('a', {})
  expect([undefined, null, {}, { metadata: {} }].map((each) => store.cellOf(each))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
