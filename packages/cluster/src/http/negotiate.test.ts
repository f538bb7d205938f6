import { expect, it } from 'vitest'
import { negotiate } from './negotiate.ts'

it.each([
  [undefined, 'json object'],
  ['', 'json object'],
  ['*/*', 'json object'],
  ['text/html,application/json;q=0.5', 'json object'],
  ['application/yaml', 'yaml object'],
  ['application/json;q=0.1,application/yaml', 'yaml object'],
  ['application/vnd.kubernetes.protobuf,application/json', 'json object'],
  ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', 'json Table'],
  ['application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json', 'json PartialObjectMetadata'],
])('answers Accept: %s with %s', (accept, expected) => {
  const { encoding, as } = negotiate(accept)
  expect(`${encoding} ${as}`).toBe(expected)
})

it.each([
  'application/xml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=PartialObjectMetadata;v=v9;g=meta.k8s.io',
])('refuses Accept: %s', (accept) => {
  expect(() => negotiate(accept)).toThrow(expect.objectContaining({ code: 406 }))
})

it('streams no YAML', () => {
  expect(() => negotiate('application/yaml', true)).toThrow(expect.objectContaining({ code: 406 }))
})
