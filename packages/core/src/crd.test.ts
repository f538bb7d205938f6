import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toCRD } from './crd.ts'
import { resource } from './resource.ts'
import { typed } from './schema.ts'

const address = { group: 'example.com', version: 'v1', kind: 'Backup' } as const
const schemaOf = (crd: ReturnType<typeof toCRD>, version = 0) => crd.spec['versions'][version].schema.openAPIV3Schema
const withSpec = (spec: z.ZodType) => schemaOf(toCRD(resource({ ...address, schema: { spec } })))
const preserved = { 'x-kubernetes-preserve-unknown-fields': true }
const LOOSE = { type: 'object', ...preserved }

describe('the manifest of a resource', () => {
  it('says names, scope, versions, columns, subresources and selectable fields', () => {
    const Backup = resource({
      ...address,
      scope: 'Cluster',
      shortNames: ['bk'],
      categories: ['all'],
      description: 'A backup.',
      printerColumns: [{ name: 'Keep', type: 'integer', jsonPath: '.spec.keep' }],
      selectableFields: ['spec.target'],
      subresources: { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
      schema: { spec: { type: 'object', properties: { keep: { type: 'integer', default: 3 } } } },
    })
    expect(toCRD(Backup)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'backups.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'backups', singular: 'backup', kind: 'Backup', shortNames: ['bk'], categories: ['all'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: 'A backup.',
                properties: {
                  spec: { type: 'object', properties: { keep: { type: 'integer', default: 3 } }, default: {} },
                  status: LOOSE,
                },
              },
            },
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
            additionalPrinterColumns: [{ name: 'Keep', type: 'integer', jsonPath: '.spec.keep' }],
            selectableFields: [{ jsonPath: '.spec.target' }],
          },
        ],
      },
    })
  })

  it('has a status subresource unless that is switched off', () => {
    const subresources = (status?: boolean) =>
      toCRD(resource({ ...address, ...(status !== undefined && { subresources: { status } }) })).spec['versions'][0]
        .subresources
    expect([subresources(), subresources(true), subresources(false)]).toEqual([{ status: {} }, { status: {} }, {}])
  })

  it('stores the last of several versions', () => {
    const crd = toCRD(resource(address), resource({ ...address, version: 'v2' }))
    const versions = crd.spec['versions'].map(({ name, storage }: { name: string; storage: boolean }) => [
      name,
      storage,
    ])
    expect(versions).toEqual([
      ['v1', false],
      ['v2', true],
    ])
  })

  it.each([
    ['two kinds', [resource(address), resource({ ...address, version: 'v2', kind: 'Other' })]],
    ['two scopes', [resource(address), resource({ ...address, version: 'v2', scope: 'Cluster' })]],
    ['one version twice', [resource(address), resource(address)]],
    ['the core group', [resource({ ...address, group: '' })]],
  ] as const)('is refused to %s', (_, [first, ...others]) => {
    expect(() => toCRD(first, ...others)).toThrow(
      expect.objectContaining({ code: 'BIN_SCHEMA', message: expect.stringContaining('Backup') }),
    )
  })

  it('is refused to what discovery found', () => {
    const { definition: _, ...found } = resource(address)
    expect(() => toCRD(found)).toThrow(
      expect.objectContaining({ code: 'BIN_SCHEMA', message: expect.stringContaining('backups.example.com') }),
    )
  })

  it('is loose where there is no schema, or only a type', () => {
    expect(schemaOf(toCRD(resource(address))).properties).toEqual({ spec: LOOSE, status: LOOSE })
    const Typed = resource({ ...address, schema: { spec: typed<{ a: number }>() } })
    expect(schemaOf(toCRD(Typed)).properties).toEqual({ spec: { ...LOOSE, default: {} }, status: LOOSE })
    expect(schemaOf(toCRD(resource({ ...address, schema: typed<object>() })))).toEqual(LOOSE)
  })

  it('has a spec wherever the types say so: required, or empty by default', () => {
    expect(withSpec(z.object({ a: z.string() }))).toMatchObject({ required: ['spec'] })
    const optional = withSpec(z.object({ a: z.int().default(1) }))
    expect(optional).not.toHaveProperty('required')
    expect(optional.properties.spec).toMatchObject({ default: {}, properties: { a: { default: 1 } } })
    const eitherOr = withSpec(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]))
    expect(eitherOr).toMatchObject({ required: ['spec'] })
  })

  it('may come from one schema of the whole object, in which metadata is the matter of the server', () => {
    const schema = z.object({
      kind: z.literal('Backup'),
      metadata: z.object({ name: z.string(), labels: z.record(z.string(), z.string()) }),
      spec: z.object({ a: z.string() }),
    })
    expect(schemaOf(toCRD(resource({ ...address, schema })))).toEqual({
      type: 'object',
      required: ['kind', 'spec'],
      properties: {
        kind: { type: 'string', enum: ['Backup'] },
        spec: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      },
    })
    expect(schemaOf(toCRD(resource({ ...address, schema: z.any() })))).toEqual({ type: 'object', ...preserved })
  })

  it('is refused, with the name of the kind, where the library cannot print the schema', () => {
    expect(() => withSpec(z.object({ at: z.date() }))).toThrow(
      expect.objectContaining({
        code: 'BIN_SCHEMA',
        message: 'The schema of Backup cannot be printed: Date cannot be represented in JSON Schema',
        hint: expect.stringContaining('ISO'),
      }),
    )
    const silent = { '~standard': { version: 1, vendor: 'terse', validate: () => ({}) } } as const
    expect(() => toCRD(resource({ ...address, schema: { spec: silent } }))).toThrow(
      expect.objectContaining({ code: 'BIN_SCHEMA', message: expect.stringContaining('"terse"') }),
    )
  })
})
