import { expect, it } from 'vitest'
import { byPreference } from './discovery-order.ts'

it('prefers stable to beta to alpha, larger numbers, and puts strange names last', () => {
  const names = ['foo1', 'v1alpha1', 'v10', 'v1beta2', 'v2', 'v11alpha2', 'v1', 'foo10', 'v1beta10']
  expect(names.sort(byPreference)).toEqual([
    'v10',
    'v2',
    'v1',
    'v1beta10',
    'v1beta2',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
  ])
})
