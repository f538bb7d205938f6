import type { KubeObject, ResourceInfo } from '@binnacle/core'
import { expect, it } from 'vitest'
import { served } from '../../test/sample.ts'
import { definitionOf, isCustom, lagsBehind, versionIn } from './definitions.ts'

const info = served().info
const crd = (versions: unknown, status: unknown = { conditions: [{ type: 'Established', status: 'True' }] }) =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'kopfexamples.kopf.dev', uid: 'u', resourceVersion: '5', annotations: { large: 'x' } },
    spec: { group: 'kopf.dev', names: { plural: 'kopfexamples' }, versions },
    status,
  }) as unknown as KubeObject
const schema = { openAPIV3Schema: { properties: { status: { properties: { conditions: { type: 'array' } } } } } }

it('reads what matters, and keeps nothing else', () => {
  const definition = definitionOf(
    crd([
      {
        name: 'v1',
        served: true,
        schema,
        selectableFields: [{ jsonPath: '.spec.color' }],
        subresources: { status: {} },
      },
      { name: 'v0', subresources: { scale: null } },
    ]),
  )
  expect(definition).toMatchObject({ group: 'kopf.dev', plural: 'kopfexamples', established: true })
  expect(definition.versions).toEqual([
    { name: 'v1', served: true, conditions: true, selectable: ['spec.color'], subresources: ['status'] },
    { name: 'v0', served: false, conditions: false, selectable: [], subresources: [] },
  ])
  expect(definition.metadata.annotations).toBeUndefined()
  expect(versionIn(definition, 'v1')?.conditions).toBe(true)
  expect([versionIn(definition, 'v2'), versionIn(undefined, 'v1')]).toEqual([undefined, undefined])
})

it.each([[undefined], ['x'], [[null, 5]], [{ name: 'v1' }]])('bears what is damaged: %j', (versions) => {
  expect(definitionOf(crd(versions, null))).toMatchObject({ established: false, versions: [] })
})

it.each<[string, string[], readonly ResourceInfo[], string[], boolean]>([
  ['what is defined is served', ['v1'], [info], [], false],
  ['a version is not there yet', ['v1', 'v2'], [info], [], true],
  ['a subresource is not there yet', ['v1'], [{ ...info, subresources: [] }], [], true],
  ['a subresource is still there', ['v1'], [{ ...info, subresources: ['status', 'scale'] }], [], true],
  [
    'a subresource that no definition knows is there',
    ['v1'],
    [{ ...info, subresources: ['status', 'log'] }],
    [],
    false,
  ],
  ['nothing is there yet', ['v1'], [], [], true],
  ['a version is still there', [], [info], [], true],
  ['what was deleted is still there', [], [{ ...info, group: 'old.dev' }], ['kopfexamples.old.dev'], true],
  ['what is not defined at all is none of its business', ['v1'], [info, { ...info, group: 'x.dev' }], [], false],
])('a server lags behind, or not: %s', (_, versions, resources, deleted, lags) => {
  const all = ['v1', 'v2'].map((name) => ({ name, served: versions.includes(name), subresources: { status: {} } }))
  expect(lagsBehind([definitionOf(crd(all))], resources, new Set(deleted))).toBe(lags)
})

it('a definition that is not established yet is not missed', () => {
  expect(lagsBehind([definitionOf(crd([{ name: 'v1', served: true }], {}))], [], new Set())).toBe(false)
})

it.each([
  ['kopf.dev', true],
  ['apps', false],
  ['', false],
  ['metrics.k8s.io', false],
])('kinds of %j can be defined: %s', (group, custom) => {
  expect(isCustom({ group })).toBe(custom)
})
