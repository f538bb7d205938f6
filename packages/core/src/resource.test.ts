import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import type { AnyObject, Draft, KubeObject, MergePatch, NewAnyObject, StringMap } from './object.ts'
import type { NewOf, ObjectOf, ResourceLike, ResourceName } from './resource.ts'
import { resource } from './resource.ts'
import { type InferSchema, typed } from './schema.ts'

interface Backup extends KubeObject {
  readonly apiVersion: 'example.com/v1'
  readonly kind: 'Backup'
  readonly spec: { readonly keep: number }
  readonly status?: { readonly phase: 'Ready' }
}
declare module './resource.ts' {
  interface ResourceMap {
    backups: Backup
    'backups.example.com': Backup
  }
}

const address = { group: 'example.com', version: 'v1' } as const
const Kex = resource({
  ...address,
  kind: 'KopfExample',
  schema: {
    spec: z.object({
      field: z.string().optional(),
      replicas: z.int().default(1),
      size: z.string().transform((text) => text.length),
      tags: z.array(z.string()),
    }),
    status: z.object({ phase: z.enum(['Pending', 'Ready']).optional() }),
  },
})

describe('a declared resource', () => {
  it('knows its address and its names', () => {
    expect(resource({ group: 'kopf.dev', version: 'v1', kind: 'KopfExample' })).toMatchObject({
      group: 'kopf.dev',
      version: 'v1',
      kind: 'KopfExample',
      apiVersion: 'kopf.dev/v1',
      plural: 'kopfexamples',
      singular: 'kopfexample',
      scope: 'Namespaced',
      shortNames: [],
      categories: [],
    })
    expect(resource({ group: '', version: 'v1', kind: 'Pod' }).apiVersion).toBe('v1')
  })

  it.each([
    ['Backup', 'backups'],
    ['Ingress', 'ingresses'],
    ['Box', 'boxes'],
    ['Branch', 'branches'],
    ['Brush', 'brushes'],
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['Database', 'databases'],
  ])('finds the plural of %s', (kind, plural) => {
    expect(resource({ ...address, kind }).plural).toBe(plural)
  })

  it('takes the names that are given', () => {
    const given = {
      plural: 'kex',
      singular: 'kexie',
      scope: 'Cluster',
      shortNames: ['kx'],
      categories: ['all'],
    } as const
    expect(resource({ ...address, kind: 'Kex', ...given })).toMatchObject(given)
  })

  it.each([
    { group: 'example.com', version: 'v1', kind: '' },
    { group: 'example.com', version: '', kind: 'A' },
    { version: 'v1', kind: 'A' },
  ])('needs a group, a version and a kind: %j is refused', (definition) => {
    expect(() => resource(definition as never)).toThrow(expect.objectContaining({ code: 'BIN_RESOURCE' }))
  })

  it('cannot be changed', () => {
    expect(Object.isFrozen(Kex)).toBe(true)
  })
})

describe('the types of a declared resource', () => {
  type Read = ObjectOf<typeof Kex>
  type Written = NewOf<typeof Kex>

  it('are the output side of a schema for readers: defaults are there', () => {
    expectTypeOf<Read['apiVersion']>().toEqualTypeOf<'example.com/v1'>()
    expectTypeOf<Read['kind']>().toEqualTypeOf<'KopfExample'>()
    expectTypeOf<Read['spec']['replicas']>().toEqualTypeOf<number>()
    expectTypeOf<Read['spec']['field']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Read['spec']['size']>().toEqualTypeOf<number>()
    expectTypeOf<Read['spec']['tags']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<NonNullable<Read['status']>['phase']>().toEqualTypeOf<'Pending' | 'Ready' | undefined>()
    expectTypeOf<Read['metadata']['namespace']>().toEqualTypeOf<string>()
  })

  it('are the input side for writers: defaults may be left out, and so may what the server fills in', () => {
    expectTypeOf<Written['spec']['replicas']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Written['spec']['size']>().toEqualTypeOf<string>()
    expectTypeOf({ spec: { size: 'x', tags: [] } }).toExtend<Written>()
    expectTypeOf<Written['kind']>().toEqualTypeOf<string | undefined>()
    // @ts-expect-error a required field is missing
    const incomplete: Written = { spec: { size: 'x' } }
    // @ts-expect-error the type of a field counts
    const wrong: Written = { spec: { size: 'x', tags: [], replicas: 'three' } }
    expect([incomplete, wrong]).toHaveLength(2)
  })

  it('are read-only all the way down', () => {
    const edit = (object: Read) => {
      // @ts-expect-error Cannot assign to 'replicas' because it is a read-only property
      object.spec.replicas = 3
      // @ts-expect-error Property 'push' does not exist on a read-only list
      object.spec.tags.push('x')
      // @ts-expect-error Property 'feild' does not exist. Did you mean 'field'?
      return object.spec.feild
    }
    expect(edit).toBeTypeOf('function')
  })

  it('have no namespace at cluster scope', () => {
    const Zone = resource({ ...address, kind: 'Zone', scope: 'Cluster', schema: { spec: typed<{ name: string }>() } })
    expectTypeOf<ObjectOf<typeof Zone>['metadata']['namespace']>().toEqualTypeOf<undefined>()
    expectTypeOf<ObjectOf<typeof Zone>['spec']>().toEqualTypeOf<{ readonly name: string }>()
  })

  it('are loose where there is no schema', () => {
    const Loose = resource({ ...address, kind: 'Loose' })
    expectTypeOf<ObjectOf<typeof Loose>['spec']>().toBeAny()
    const OnlySpec = resource({ ...address, kind: 'OnlySpec', schema: { spec: typed<{ a: number }>() } })
    expectTypeOf<ObjectOf<typeof OnlySpec>['spec']>().toEqualTypeOf<{ readonly a: number }>()
    expectTypeOf<NonNullable<ObjectOf<typeof OnlySpec>['status']>>().toBeAny()
    const OnlyStatus = resource({ ...address, kind: 'OnlyStatus', schema: { status: typed<{ a: number }>() } })
    expectTypeOf<ObjectOf<typeof OnlyStatus>['spec']>().toBeAny()
    const Open = resource({
      ...address,
      kind: 'Open',
      schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    })
    expectTypeOf<ObjectOf<typeof Open>['spec']>().toBeAny()
  })

  it('come from one schema of the whole object as well', () => {
    const Whole = resource({
      ...address,
      kind: 'Whole',
      schema: {
        type: 'object',
        required: ['spec'],
        properties: { spec: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } },
      },
    })
    expectTypeOf<ObjectOf<typeof Whole>['spec']['a']>().toEqualTypeOf<number>()
    const Zod = resource({ ...address, kind: 'Zod', schema: z.object({ spec: z.object({ a: z.int() }) }) })
    expectTypeOf<ObjectOf<typeof Zod>['spec']['a']>().toEqualTypeOf<number>()
    const Typed = resource({ ...address, kind: 'Typed', schema: typed<{ spec: { a: number } }>() })
    expectTypeOf<ObjectOf<typeof Typed>['spec']['a']>().toEqualTypeOf<number>()
  })

  it('refuse what a declaration cannot have', () => {
    const mistakes = [
      // @ts-expect-error 'grop' does not exist. Did you mean to write 'group'?
      () => resource({ grop: 'a.example.com', version: 'v1', kind: 'A' }),
      // @ts-expect-error no such scope
      () => resource({ ...address, kind: 'A', scope: 'Namespace' }),
      // @ts-expect-error no such type
      () => resource({ ...address, kind: 'A', schema: { spec: { type: 'int' } } }),
    ]
    expect(mistakes).toHaveLength(3)
  })
})

describe('a structural schema', () => {
  const schema = {
    type: 'object',
    required: ['phase'],
    properties: {
      phase: { type: 'string', enum: ['Pending', 'Ready'] },
      replicas: { type: 'integer', default: 1 },
      note: { type: 'string', nullable: true },
      port: { 'x-kubernetes-int-or-string': true },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      items: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] } },
      anything: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  } as const
  type Read = InferSchema<typeof schema>
  type Written = InferSchema<typeof schema, 'input'>

  it('is inferred literally', () => {
    expectTypeOf<Read['phase']>().toEqualTypeOf<'Pending' | 'Ready'>()
    expectTypeOf<Read['note']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<Read['port']>().toEqualTypeOf<number | string | undefined>()
    expectTypeOf<Read['labels']>().toEqualTypeOf<{ readonly [key: string]: string } | undefined>()
    expectTypeOf<NonNullable<Read['items']>[number]['on']>().toEqualTypeOf<boolean>()
    expectTypeOf<NonNullable<Read['anything']>>().toBeAny()
  })

  it('has its defaults for readers, and lets writers leave them out', () => {
    expectTypeOf<Read['replicas']>().toEqualTypeOf<number>()
    expectTypeOf<Written['replicas']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<{ phase: 'Ready' }>().toExtend<Written>()
    expectTypeOf<{ phase: 'Ready' }>().not.toExtend<Read>()
    expectTypeOf<{ phase: 'Redy' }>().not.toExtend<Written>()
  })

  it('is inferred from a declaration without `as const`', () => {
    const Db = resource({
      ...address,
      kind: 'Db',
      schema: { spec: { type: 'object', properties: { engine: { type: 'string', enum: ['pg', 'my'] } } } },
    })
    expectTypeOf<ObjectOf<typeof Db>['spec']['engine']>().toEqualTypeOf<'pg' | 'my' | undefined>()
  })
})

describe('the name of a resource', () => {
  it('stands for the type that was added to the map, in each of its spellings', () => {
    expectTypeOf<ObjectOf<'backups'>>().toEqualTypeOf<Backup>()
    expectTypeOf<ObjectOf<'backups.example.com'>>().toEqualTypeOf<Backup>()
    expectTypeOf<ObjectOf<'example.com/v1/backups'>>().toEqualTypeOf<Backup>()
    expectTypeOf<ObjectOf<'v1/backups'>>().toEqualTypeOf<Backup>()
    expectTypeOf<NewOf<'backups'>['spec']>().toEqualTypeOf<Backup['spec']>()
    expectTypeOf<NewOf<'backups'>['apiVersion']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<{ spec: { keep: 3 } }>().toExtend<NewOf<'backups'>>()
    expectTypeOf<{ spec: { kep: 3 } }>().not.toExtend<NewOf<'backups'>>()
  })

  it('gives loose objects where nothing is known', () => {
    expectTypeOf<ObjectOf<'kopfexamples.kopf.dev'>>().toEqualTypeOf<AnyObject>()
    expectTypeOf<ObjectOf<'other.example.com/v1/backups'>>().toEqualTypeOf<AnyObject>()
    expectTypeOf<ObjectOf<'apps/v1/unknowns'>>().toEqualTypeOf<AnyObject>()
    expectTypeOf<NewOf<'kopfexamples.kopf.dev'>>().toEqualTypeOf<NewAnyObject>()
    expectTypeOf<ObjectOf<'x'>['spec']>().toBeAny()
    expectTypeOf<typeof Kex>().toExtend<ResourceLike>()
    expectTypeOf<'anything'>().toExtend<ResourceName>()
  })
})

describe('a patch and a draft of an object', () => {
  it('let every field be left out or removed, and keep lists whole', () => {
    type Patch = MergePatch<Backup>
    expectTypeOf<{ spec: { keep: null } }>().toExtend<Patch>()
    expectTypeOf<{ status: null }>().toExtend<Patch>()
    expectTypeOf<{ spec: { keep: 'x' } }>().not.toExtend<Patch>()
    expectTypeOf<MergePatch<{ readonly a: readonly number[] }>>().toEqualTypeOf<{ a?: readonly number[] | null }>()
    expectTypeOf<{ a: 'x'; b: null }>().toExtend<MergePatch<StringMap>>()
    expectTypeOf<{ a: 5 }>().not.toExtend<MergePatch<StringMap>>()
    const patch: Patch = {}
    patch.spec = { keep: 3 }
    // @ts-expect-error no such field in the patch
    patch.spec = { kept: 3 }
    expect(patch).toBeDefined()
  })

  it('are writable all the way down', () => {
    expectTypeOf<Draft<{ readonly a: { readonly b: readonly { readonly c: number }[] } }>>().toEqualTypeOf<{
      a: { b: { c: number }[] }
    }>()
  })
})
