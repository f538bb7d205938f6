import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { checkSchema, unknownFormats } from './check.ts'
import { fillDefaults } from './defaults.ts'
import { hasFormat } from './formats.ts'
import { prune } from './prune.ts'
import { parseSchema } from './structural.ts'
import { validate } from './validate.ts'

const spec = (properties: object, rest: object = {}) =>
  parseSchema({
    type: 'object',
    properties: { spec: { type: 'object', properties, ...rest } },
  } as unknown as JsonObject)

describe('pruning', () => {
  it('keeps what is known, what is free, and the identity of an embedded object', () => {
    const schema = spec({
      known: { type: 'string' },
      map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'string' } } } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      pod: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: {} },
    })
    const dropped: string[] = []
    const pruned = prune(
      {
        apiVersion: 'v1',
        kind: 'K',
        metadata: { name: 'n', odd: 1 },
        spec: {
          known: 'k',
          constructor: 'x',
          map: { a: { a: '1', b: '2' } },
          free: { any: 1 },
          pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} },
        },
        extra: 1,
      },
      schema,
      dropped,
    )
    expect(pruned).toEqual({
      apiVersion: 'v1',
      kind: 'K',
      metadata: { name: 'n' },
      spec: {
        known: 'k',
        map: { a: { a: '1' } },
        free: { any: 1 },
        pod: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } },
      },
    })
    expect(dropped.sort()).toEqual(['extra', 'metadata.odd', 'spec.constructor', 'spec.map.a.b', 'spec.pod.spec'])
  })
})

describe('defaults', () => {
  const schema = spec({
    size: { type: 'string', default: 'medium' },
    deep: { type: 'object', default: {}, properties: { n: { type: 'integer', default: 1 } } },
    nul: { type: 'string', nullable: true, default: 'd' },
    list: { type: 'array', items: { type: 'object', properties: { x: { type: 'string', default: 'y' } } } },
  })

  it('fill what is absent, also inside of defaults and lists', () => {
    expect(fillDefaults({ spec: { list: [{}] } }, schema)).toEqual({
      spec: { size: 'medium', deep: { n: 1 }, nul: 'd', list: [{ x: 'y' }] },
    })
  })

  it('take a null for absent where null is not allowed, and keep it where it is', () => {
    expect(fillDefaults({ spec: { size: null, nul: null, deep: { n: 2 } } }, schema)).toEqual({
      spec: { size: 'medium', nul: null, deep: { n: 2 } },
    })
  })

  it('give back the very object when nothing was missing', () => {
    const full = { spec: { size: 's', deep: { n: 2 }, nul: null } }
    expect(fillDefaults(full, schema)).toBe(full)
  })
})

describe('validation', () => {
  const wrong = (property: object, value: unknown) =>
    validate({ spec: { x: value } } as JsonObject, spec({ x: property })).map(
      (cause) => `${cause.field} ${cause.reason}`,
    )

  it.each([
    [{ type: 'integer', minimum: 1 }, 0, ['spec.x FieldValueInvalid']],
    [{ type: 'integer', maximum: 1, exclusiveMaximum: true }, 1, ['spec.x FieldValueInvalid']],
    [{ type: 'number', multipleOf: 0.5 }, 1.5, []],
    [{ type: 'integer' }, 1.5, ['spec.x FieldValueTypeInvalid']],
    [{ type: 'string', maxLength: 2 }, 'äöü', ['spec.x FieldValueTooLong']],
    [{ type: 'string', minLength: 1 }, '', ['spec.x FieldValueInvalid']],
    [{ type: 'string', pattern: '^a' }, 'b', ['spec.x FieldValueInvalid']],
    [{ type: 'array', maxItems: 1, items: { type: 'string' } }, ['a', 'b'], ['spec.x FieldValueTooMany']],
    [{ type: 'array', items: { type: 'string' } }, [null], ['spec.x[0] FieldValueTypeInvalid']],
    [
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      ['a', 'a'],
      ['spec.x[1] FieldValueDuplicate'],
    ],
    [{ 'x-kubernetes-int-or-string': true }, '50%', []],
    [{ 'x-kubernetes-int-or-string': true }, true, ['spec.x FieldValueTypeInvalid']],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, ['spec.x.a FieldValueTypeInvalid']],
    [{ type: 'string', nullable: true }, null, []],
    [
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }], properties: {} },
      {},
      ['<nil> FieldValueInvalid', 'spec.x.a FieldValueRequired'],
    ],
    [{ type: 'string', not: { enum: ['no'] } }, 'no', ['<nil> FieldValueInvalid']],
    [{ type: 'string', format: 'ipv4' }, '1.2.3', ['spec.x FieldValueTypeInvalid']],
  ])('by %j of %j finds %j', (property, value, expected) => {
    expect(wrong(property, value)).toEqual(expected)
  })

  it('does not judge again what has not changed', () => {
    const schema = spec({ x: { type: 'string', enum: ['a'] }, y: { type: 'string' } })
    const old = { spec: { x: 'gone', y: '1' } }
    expect(validate({ spec: { x: 'gone', y: '2' } }, schema, old)).toEqual([])
    expect(validate({ spec: { x: 'other', y: '1' } }, schema, old)).toHaveLength(1)
  })

  it('knows the formats', () => {
    expect(hasFormat('2026-01-02T03:04:05Z', 'date-time')).toBe(true)
    expect(hasFormat('yesterday', 'date-time')).toBe(false)
    expect(hasFormat('10.0.0.0/33', 'cidr')).toBe(false)
    expect(hasFormat('1h30m', 'duration')).toBe(true)
    expect(hasFormat('anything', 'nosuchformat')).toBe(true)
  })
})

describe('a schema', () => {
  const findings = (schema: object) => checkSchema(schema as JsonObject, 's').map((cause) => cause.field)

  it('must be typed everywhere and use nothing that cannot be pruned', () => {
    expect(findings({})).toEqual(['s.type'])
    expect(findings({ type: 'object', properties: { a: {} } })).toEqual(['s.properties[a].type'])
    expect(findings({ type: 'object', properties: { a: { type: 'array' } } })).toEqual(['s.properties[a].items'])
    expect(findings({ type: 'object', properties: { a: { type: 'object', $ref: '#/x' } } })).toEqual([
      's.properties[a].$ref',
    ])
    expect(
      findings({ type: 'object', properties: { metadata: { type: 'object', properties: { labels: {} } } } }),
    ).toContain('s.properties[metadata]')
  })

  it('is warned of formats that nobody checks', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', format: 'odd' }, b: { type: 'string', format: 'date' } },
    }
    expect(unknownFormats(schema)).toEqual(['odd'])
  })
})
