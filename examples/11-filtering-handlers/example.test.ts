import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { KopfExample } from '../01-hello/resource.ts'
import { sample } from '../sample.ts'
import { eventually, stage } from '../stage.ts'
import { op } from './operator.ts'

it('calls exactly those whose filters hold', async () => {
  await using t = await harness(op, { ...stage, resources: [KopfExample] })
  await t.cluster.create(KopfExample, sample)
  await eventually(t, () => t.runs.of('fieldIsAbsent/spec.nonexistent').length === 1)
  await t.settled()
  const called = () => t.runs.map(({ handler }) => handler.split('/')[0])
  expect(called().sort()).toEqual(
    [
      'annotationDoesNotExist',
      'annotationExists',
      'annotationsSatisfied',
      'fieldIsAbsent',
      'fieldSatisfied',
      'labelCallbacks',
      'labelDoesNotExist',
      'labelExists',
      'labelIsOneOf',
      'labelsSatisfied',
      'whenAll',
      'whenSatisfied',
      'whileValue',
    ].sort(),
  )
  const before = called().length
  await t.cluster.patch(KopfExample, 'kopf-example-1', { spec: { field: 'changed' } })
  await eventually(t, () => called().length === before + 2)
  await t.settled()
  expect(called().slice(before)).toEqual(['changeSatisfied', 'valueWasSatisfied'])
  expect(t.logs.map(({ message }) => message)).toContain('The field has lost its value')
  expect(called().filter((handler) => handler?.endsWith('NotSatisfied'))).toEqual([])
})
