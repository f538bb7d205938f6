import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type StructuralSchema, typed } from './schema.ts'
import { structuralSchema } from './structural.ts'

const fromZod = (schema: z.ZodType) => structuralSchema(schema['~standard'].jsonSchema.input({ target: 'openapi-3.0' }))
const preserved = { 'x-kubernetes-preserve-unknown-fields': true }
const ANYTHING = { ...preserved, nullable: true }
const Tree: z.ZodType = z.object({
  size: z.int(),
  get left() {
    return Tree.optional()
  },
})
const Named = z.object({ name: z.string() }).meta({ id: 'Named' })

describe('a structural schema made from zod', () => {
  it.each<[string, z.ZodType, StructuralSchema]>([
    ['an integer has no bounds but its own', z.int().min(1), { type: 'integer', minimum: 1 }],
    ['32 bits are a format', z.int32(), { type: 'integer', format: 'int32' }],
    ['exclusive bounds', z.number().gt(1), { type: 'number', minimum: 1, exclusiveMinimum: true }],
    ['an enumeration', z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
    ['a time needs no pattern', z.iso.datetime(), { type: 'string', format: 'date-time' }],
    ['bytes', z.base64(), { type: 'string', format: 'byte', pattern: expect.stringContaining('[0-9a-zA-Z+/]') }],
    ['a duration of ISO is none of Go', z.iso.duration(), { type: 'string' }],
    ['a pattern that Go has', z.string().regex(/^\d+$/), { type: 'string', pattern: '^\\d+$' }],
    ['a pattern that Go does not have', z.string().regex(/^(?!x)/), { type: 'string' }],
    [
      'several patterns',
      z.string().regex(/a/).regex(/b/),
      { type: 'string', allOf: [{ pattern: 'a' }, { pattern: 'b' }] },
    ],
    ['what may be null', z.string().nullable(), { type: 'string', nullable: true }],
    ['null alone', z.null(), { type: 'string', nullable: true }],
    ['a list', z.array(z.string()).min(1).readonly(), { type: 'array', minItems: 1, items: { type: 'string' } }],
    ['a record', z.record(z.string(), z.int()), { type: 'object', additionalProperties: { type: 'integer' } }],
    ['a record of anything', z.record(z.string(), z.any()), { type: 'object', additionalProperties: ANYTHING }],
    ['anything', z.unknown(), ANYTHING],
    ['any JSON', z.json(), ANYTHING],
    ['a strict object', z.strictObject({}), { type: 'object', properties: {} }],
    ['a loose object', z.looseObject({}), { type: 'object', properties: {}, ...preserved }],
    ['an object with others', z.object({}).catchall(z.int()), { type: 'object', properties: {}, ...preserved }],
    [
      'a pair',
      z.tuple([z.string(), z.int()]),
      { type: 'array', minItems: 2, maxItems: 2, items: { 'x-kubernetes-int-or-string': true } },
    ],
    [
      'a description',
      z
        .string()
        .describe('D')
        .meta({ examples: ['x'] }),
      { type: 'string', description: 'D' },
    ],
    ['a transformation: what goes in', z.string().transform(Number), { type: 'string' }],
    [
      'a type that contains itself',
      Tree,
      { type: 'object', required: ['size'], properties: { size: { type: 'integer' }, left: ANYTHING } },
    ],
    [
      'a schema with a name',
      z.object({ a: Named, b: Named }),
      {
        type: 'object',
        required: ['a', 'b'],
        properties: {
          a: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          b: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        },
      },
    ],
    [
      'defaults and optional fields',
      z.object({ a: z.int().default(3), b: z.string().optional(), c: z.never().optional() }),
      { type: 'object', properties: { a: { type: 'integer', default: 3 }, b: { type: 'string' } } },
    ],
    [
      'what only Kubernetes knows',
      z.array(Named).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
      {
        type: 'array',
        items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(fromZod(schema)).toEqual(expected)
  })
})

describe('a union', () => {
  it('of an integer and a string is what Kubernetes has a word for', () => {
    expect(fromZod(z.union([z.int(), z.string()]))).toEqual({ 'x-kubernetes-int-or-string': true })
  })

  it('with null may be null', () => {
    expect(fromZod(z.union([z.string(), z.null()]))).toEqual({ type: 'string', nullable: true })
  })

  it('of enumerations is one enumeration', () => {
    expect(fromZod(z.union([z.literal('a'), z.enum(['b', 'c'])]))).toEqual({ type: 'string', enum: ['a', 'b', 'c'] })
    expect(fromZod(z.union([z.literal('a'), z.literal(5)]))).toEqual({ ...preserved, enum: ['a', 5] })
  })

  it('of other types that differ accepts everything', () => {
    expect(fromZod(z.union([z.boolean(), z.string()]))).toEqual(ANYTHING)
    expect(fromZod(z.union([z.array(z.string()), z.string()]))).toEqual(ANYTHING)
  })

  it('of one type says what each branch demands', () => {
    expect(fromZod(z.union([z.string().regex(/^a/), z.string().max(3)]))).toEqual({
      type: 'string',
      anyOf: [{ pattern: '^a' }, { maxLength: 3 }],
    })
    expect(fromZod(z.union([z.string().regex(/^a/), z.string()]))).toEqual({ type: 'string' })
  })

  it('of objects has the fields of all, narrowed by branch, without the defaults', () => {
    const disk = z.object({ type: z.literal('disk'), size: z.int().default(1) })
    const bucket = z.object({ type: z.literal('bucket'), url: z.url() })
    expect(fromZod(z.discriminatedUnion('type', [disk, bucket]))).toEqual({
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['disk', 'bucket'] },
        size: { type: 'integer' },
        url: { type: 'string', format: 'uri' },
      },
      anyOf: [
        { required: ['type'], properties: { type: { enum: ['disk'] } } },
        { required: ['type', 'url'], properties: { type: { enum: ['bucket'] }, url: { format: 'uri' } } },
      ],
    })
  })

  it('that may be null has a pattern for its enumeration, because the server finds null in none', () => {
    const may = fromZod(z.enum(['a', 'b.c']).nullable())
    expect(may).toEqual({ type: 'string', nullable: true, pattern: '^(?:a|b\\.c)$' })
  })
})

/** The rules for structural schemas of the Kubernetes documentation, as far as they concern one node. */
function broken(schema: StructuralSchema, path = '$'): string[] {
  const { type, items, properties, additionalProperties: others, allOf = [], anyOf = [], oneOf = [] } = schema
  const untyped = schema['x-kubernetes-preserve-unknown-fields'] || schema['x-kubernetes-int-or-string']
  const junctors = [...allOf, ...anyOf, ...oneOf].flatMap((branch) => misplaced(branch, schema, path))
  return [
    ...(type === undefined && !untyped ? [`${path} has no type`] : []),
    ...(properties && others !== undefined ? [`${path} has properties and others`] : []),
    ...(type === 'array' && !items ? [`${path} has no items`] : []),
    ...junctors,
    ...(items ? broken(items, `${path}[]`) : []),
    ...(typeof others === 'object' ? broken(others, `${path}.*`) : []),
    ...Object.entries(properties ?? {}).flatMap(([name, property]) => broken(property, `${path}.${name}`)),
  ]
}

const ONLY_OUTSIDE = ['type', 'default', 'description', 'title', 'nullable', 'additionalProperties']

function misplaced(branch: StructuralSchema, whole: StructuralSchema, path: string): string[] {
  const wrong = Object.keys(branch).filter((key) => ONLY_OUTSIDE.includes(key) || key.startsWith('x-kubernetes-'))
  const unknown = Object.keys(branch.properties ?? {}).filter((name) => !Object.hasOwn(whole.properties ?? {}, name))
  const deeper = Object.entries(branch.properties ?? {}).flatMap(([name, property]) =>
    misplaced(property, whole.properties?.[name] ?? {}, `${path}.${name}`),
  )
  const inner = [...(branch.anyOf ?? []), ...(branch.allOf ?? [])].flatMap((it) => misplaced(it, whole, path))
  return [
    ...wrong.map((key) => `${path} has ${key} in a branch`),
    ...unknown.map((name) => `${path}.${name} is only in a branch`),
    ...deeper,
    ...inner,
  ]
}

describe('whatever zod prints', () => {
  const { schema } = fc.letrec<{ schema: z.ZodType; object: z.ZodType }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<z.ZodType>(
        z.string(),
        z.int(),
        z.number().gt(2),
        z.boolean(),
        z.null(),
        z.any(),
        z.enum(['a', 'b']),
        z.literal(5),
        z.iso.date(),
        z.string().regex(/a/).regex(/b/),
      ),
      tie('object'),
      tie('schema').map((it) => z.array(it)),
      tie('schema').map((it) => z.record(z.string(), it)),
      tie('schema').map((it) => it.nullable()),
      fc.tuple(tie('schema'), tie('schema')).map(([a, b]) => z.union([a, b])),
      fc.tuple(tie('object'), tie('object')).map(([a, b]) => z.intersection(a, b)),
    ),
    object: fc
      .dictionary(fc.constantFrom('x', 'y', 'z'), tie('schema'))
      .chain((shape) =>
        fc.constantFrom<z.ZodType>(
          z.object(shape),
          z.looseObject(shape),
          z.strictObject(shape),
          z.object(shape).partial(),
        ),
      ),
  }))

  it('becomes a schema that keeps the structural rules', () => {
    fc.assert(
      fc.property(schema, (given) => {
        expect(broken(fromZod(given))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})

describe('a type-only schema', () => {
  it('says nothing at run time', () => {
    expect(typed<{ a: number }>()).toEqual({ '~type': undefined })
  })
})
