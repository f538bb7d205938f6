import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../json.ts'
import { anyShape, customShape } from '../schema/shape.ts'
import { parseSchema } from '../schema/structural.ts'
import { applyConfiguration, type Ownership, type Situation, trackUpdate } from './apply.ts'
import { FieldSet } from './field-set.ts'
import { compare, fieldSetOf, overlay } from './typed.ts'

const schema = parseSchema({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        list: { type: 'array', items: { type: 'string' } },
        rules: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', properties: { name: { type: 'string' }, value: { type: 'integer' } } },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        labels: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
  },
})
const shape = customShape(schema, () => anyShape)

const names = fc.constantFrom('a', 'b', 'c', 'd')
const spec = fc.record(
  {
    tags: fc.uniqueArray(names),
    list: fc.array(names, { maxLength: 3 }),
    rules: fc.uniqueArray(fc.record({ name: names, value: fc.nat(3) }), { selector: (rule) => rule.name }),
    labels: fc.dictionary(names, names, { maxKeys: 3 }),
    free: fc.dictionary(names, fc.oneof(fc.nat(3), fc.dictionary(names, fc.nat(3))), { maxKeys: 3 }),
  },
  { requiredKeys: [] },
)
const object = spec.map((value): Json => ({ spec: value as Json }))

const situation = (owners: readonly Ownership[], name: string, operation: 'Apply' | 'Update'): Situation => ({
  shape,
  reset: FieldSet.empty,
  owners,
  manager: { name, operation, apiVersion: 'v1', subresource: '' },
  now: 'now',
})

describe('owned fields', () => {
  it('survive being printed and read', () => {
    fc.assert(
      fc.property(object, (value) => {
        const set = fieldSetOf(value, shape)
        expect(FieldSet.fromJson(set.toJson()).toJson()).toEqual(set.toJson())
      }),
    )
  })

  it('are sets: union, intersection and difference agree', () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const [left, right] = [fieldSetOf(a, shape), fieldSetOf(b, shape)]
        const parts = left.difference(right).union(left.intersection(right))
        expect(parts.toJson()).toEqual(left.toJson())
        expect(left.union(right).difference(right).intersection(right).isEmpty).toBe(true)
      }),
    )
  })
})

describe('an applied configuration', () => {
  it('is contained in the result, whatever was there', () => {
    fc.assert(
      fc.property(object, object, (live, config) => {
        const merged = overlay(live, config, shape)
        const { added, modified } = compare(merged, overlay(merged, config, shape), shape)
        expect(added.isEmpty && modified.isEmpty).toBe(true)
      }),
    )
  })

  it('leaves nothing behind when the same manager applies nothing', () => {
    fc.assert(
      fc.property(object, (config) => {
        const first = applyConfiguration({}, config, situation([], 'm', 'Apply'), false)
        const second = applyConfiguration(first.object, {}, situation(first.owners, 'm', 'Apply'), false)
        expect(second.owners).toEqual([])
        expect(fieldSetOf(second.object, shape).isEmpty).toBe(true)
      }),
    )
  })

  it('never takes from a manager what it does not name', () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const first = applyConfiguration({}, a, situation([], 'm1', 'Apply'), false)
        const second = applyConfiguration(first.object, b, situation(first.owners, 'm2', 'Apply'), true)
        const before = fieldSetOf(a, shape)
        const after = second.owners.find((owner) => owner.name === 'm1')?.fields ?? FieldSet.empty
        const lost = before.difference(after)
        expect(lost.difference(fieldSetOf(b, shape)).isEmpty).toBe(true)
      }),
    )
  })

  it('conflicts with nothing that an update did not change', () => {
    fc.assert(
      fc.property(object, object, (a, b) => {
        const first = applyConfiguration({}, a, situation([], 'm', 'Apply'), false)
        const owners = trackUpdate(
          first.object,
          overlay(first.object, b, shape),
          situation(first.owners, 'u', 'Update'),
        )
        const mine = owners.find((owner) => owner.name === 'm')?.fields ?? FieldSet.empty
        const theirs = owners.find((owner) => owner.name === 'u')?.fields ?? FieldSet.empty
        expect(mine.intersection(theirs).isEmpty).toBe(true)
      }),
    )
  })
})

describe('a list with keys', () => {
  const rules = (...list: [string, number][]) => ({ spec: { rules: list.map(([name, value]) => ({ name, value })) } })

  it.each([
    ['appends what is new', rules(['a', 1]), rules(['b', 1]), ['a', 'b']],
    ['takes the order of the configuration', rules(['a', 1], ['b', 1]), rules(['b', 1], ['a', 1]), ['b', 'a']],
    [
      'keeps others before the next shared one',
      rules(['a', 1], ['x', 1], ['b', 1]),
      rules(['b', 1], ['a', 1]),
      ['x', 'b', 'a'],
    ],
    ['puts a new one before the shared one it precedes', rules(['a', 1]), rules(['n', 1], ['a', 2]), ['n', 'a']],
  ])('%s', (_, live, config, expected) => {
    const merged = overlay(live as Json, config as Json, shape) as ReturnType<typeof rules>
    expect(merged.spec.rules.map((rule) => rule.name)).toEqual(expected)
  })
})
