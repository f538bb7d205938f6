import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ListDecoder, type ListEnvelope } from './list-bytes.ts'

function decode(bytes: Uint8Array, cuts: readonly number[], managedFields: 'drop' | 'keep' = 'drop') {
  const decoder = new ListDecoder(managedFields)
  const items: unknown[] = []
  const edges = [0, ...[...cuts].sort((a, b) => a - b), bytes.length]
  for (const [i, start] of edges.slice(0, -1).entries()) items.push(...decoder.push(bytes.slice(start, edges[i + 1])))
  const envelope = decoder.end()
  return { envelope, items: [...items, ...(envelope.items ?? [])] }
}

/** What JSON.parse makes of it, with managedFields dropped afterwards. */
function expected(text: string): { items: unknown[]; rest: object } {
  const { items, ...rest } = JSON.parse(text)
  for (const item of items ?? []) {
    if (typeof item.metadata === 'object' && item.metadata !== null) delete item.metadata.managedFields
  }
  return { items: items ?? [], rest }
}

function rest(envelope: ListEnvelope): object {
  const { items: _, ...others } = envelope
  return others
}

// No quotes and backslashes in keys: JSON.parse of Node 24.21 itself takes an escaped key for another one that it has met before, as in
// [{"\\":1},{"\"":1}]. In values it makes no such mistake, and there they stay.
const name = fc.oneof(
  fc.constantFrom('metadata', 'managedFields', 'items', 'kind', 'name', '{', ']', 'ü€😀'),
  fc.string({ unit: 'grapheme' }).map((text) => text.replace(/["\\]/g, "'")),
)
const value = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('"managedFields":[', '}],{', '\\"', '\\\\', '\u2028', '{"metadata":{"managedFields":[]}}'),
    fc.array(tie('json')),
    fc.dictionary(name, tie('json'), { noNullPrototype: true }),
  ),
})).json
const object = fc.dictionary(name, value, { noNullPrototype: true })
const metadata = fc
  .tuple(object, fc.option(value, { nil: undefined }), object)
  .map(([before, managedFields, after]) => ({
    ...before,
    ...(managedFields !== undefined && { managedFields }),
    ...after,
  }))
const item = fc
  .tuple(object, metadata, object)
  .map(([before, meta, after]) => ({ ...before, metadata: meta, ...after }))
const list = fc
  .tuple(object, fc.array(item, { maxLength: 5 }), object)
  .map(([before, items, after]) => ({ ...before, items, ...without(after, 'items') }))

function without(from: object, key: string): object {
  return Object.fromEntries(Object.entries(from).filter(([k]) => k !== key))
}

describe('the bytes of a list', () => {
  it('give the same as JSON.parse with managedFields dropped, wherever they are split and however they are laid out', () => {
    fc.assert(
      fc.property(list, fc.constantFrom(undefined, 2, '\t'), fc.array(fc.nat()), (document, indent, places) => {
        const text = JSON.stringify(document, undefined, indent)
        const bytes = Buffer.from(text)
        const cuts = places.map((place) => place % (bytes.length + 1))
        const { items, envelope } = decode(bytes, cuts)
        expect(items).toEqual(expected(text).items)
        expect(rest(envelope)).toEqual(expected(text).rest)
      }),
      { numRuns: 300 },
    )
  })

  const recorded = JSON.stringify({
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: { resourceVersion: '7' },
    items: [
      { metadata: { managedFields: [{ f: '"}]' }], name: 'a€😀' }, spec: { q: '\\"managedFields\\"', e: {} } },
      { metadata: { name: 'b\\', managedFields: [] }, list: [[{ metadata: { managedFields: 1 } }]] },
      { metadata: { managedFields: null } },
      {},
    ],
  })

  it('give the same at every position at which they can be split in two, and byte by byte', () => {
    const bytes = Buffer.from(recorded)
    const whole = expected(recorded)
    const everywhere = Array.from({ length: bytes.length }, (_, i) => i)
    for (const cut of everywhere) expect(decode(bytes, [cut]).items).toEqual(whole.items)
    expect(decode(bytes, everywhere).items).toEqual(whole.items)
  })

  const alike = { metadata: { name: 'inner' } }
  it.each([
    ['objects inside of items that begin like items', [{ metadata: { name: 'a' }, list: [alike, alike] }, alike]],
    ['items that begin in different ways', [alike, { kind: 'A', ...alike }, alike, { spec: 1, ...alike }, alike]],
    ['items without metadata', [{}, alike, { spec: {} }, alike]],
    ['brackets in the names of owned fields', [{ metadata: { managedFields: [{ 'f:]},{': 1 }], name: 'a' } }, alike]],
    ['lists in managedFields', [{ metadata: { managedFields: [{ f: { x: [1] } }, alike, { y: [[]] }] } }, alike]],
    ['managedFields elsewhere', [{ metadata: { a: { managedFields: [1] } }, managedFields: [2], spec: alike }, alike]],
    ['the name in a string', [{ metadata: { name: 'x"managedFields":[', 'y"managedFields': [1] } }, alike, alike]],
  ])('give the same whatever a reader in haste may take for a border: %s', (_, items) => {
    for (const order of [items, [...items].reverse(), [...items, ...items, ...items]]) {
      const text = JSON.stringify({ items: order })
      expect(decode(Buffer.from(text), []).items).toEqual(expected(text).items)
    }
  })

  it('give the same wherever managedFields stand in the metadata', () => {
    const fields = '"managedFields":[{"f:a":{}}]'
    for (const inside of [fields, `${fields},"name":"a"`, `"name":"a",${fields}`, `"a":{},${fields},"b":[1]`]) {
      const text = `{"items":[{"metadata":{${inside}}},{"metadata":{${inside}},"spec":[]},{"kind":"A","metadata":{${inside}}}]}`
      expect(decode(Buffer.from(text), []).items).toEqual(expected(text).items)
    }
  })

  it('never parse managedFields, so that even a damaged one does no harm', () => {
    const text = '{"items":[{"metadata":{"name":"a","managedFields":[nonsense]},"spec":1}]}'
    expect(decode(Buffer.from(text), []).items).toEqual([{ metadata: { name: 'a' }, spec: 1 }])
  })

  it('keep managedFields on request', () => {
    const { items } = decode(Buffer.from(recorded), [], 'keep')
    expect(items).toEqual(JSON.parse(recorded).items)
  })

  it('are understood with names that are written with escapes', () => {
    const text =
      '{"\\u0069tems":[{"metadat\\u0061":{"managedFields":[1],"name":"a"}},{"metadata":{"m\\u0061nagedFields":[]}}]}'
    expect(decode(Buffer.from(text), []).items).toEqual([{ metadata: { name: 'a' } }, { metadata: {} }])
  })

  it('may say that there are no items by null, or by leaving them out', () => {
    expect(decode(Buffer.from('{"kind":"PodList","items":null}'), []).items).toEqual([])
    expect(decode(Buffer.from('{"kind":"PodList"}\n'), []).items).toEqual([])
  })

  it('do not reach a prototype', () => {
    const { items } = decode(Buffer.from('{"items":[{"__proto__":{"polluted":true},"metadata":{}}]}'), [])
    expect((items[0] as { polluted?: unknown }).polluted).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([
    ['an end in the middle of an item', '{"items":[{"metadata":{"name":"a'],
    ['an end in the middle of the envelope', '{"items":[{}],"metadata":{'],
    ['something that is no object among the items', '{"items":[{},5]}'],
    ['something behind the end', '{"items":[]} {"items":[]}'],
    ['an item that is not JSON', '{"items":[{"a":nonsense}]}'],
    ['items under an escaped name that are no objects', '{"\\u0069tems":[null]}'],
    ['a page of HTML', '<html>{}</html>'],
    // Taken for an empty list, each of these would say that everything is gone.
    ['an object without items', '{}'],
    ['a Status', '{"kind":"Status","status":"Failure","code":500}'],
    ['a table', '{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}'],
    ['an array', '[]'],
    ['nothing', ''],
  ])('are refused for %s', (_, text) => {
    expect(() => decode(Buffer.from(text), [])).toThrow(/damaged/)
  })

  it('are refused when one item is larger than any object can be', () => {
    const decoder = new ListDecoder('drop', 1000)
    decoder.push(Buffer.from('{"items":[{"a":"'))
    expect(() => decoder.push(Buffer.alloc(2000, 0x61))).toThrow(/more than 1000 bytes/)
  })
})
