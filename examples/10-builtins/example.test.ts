import { harness } from '@binnacle/testing'
import { expect, it } from 'vitest'
import { stage } from '../stage.ts'
import { op } from './operator.ts'

const pod = (name: string, seconds: string) => ({
  metadata: {
    name,
    labels: { 'example.com/short-lived': 'yes' },
    annotations: { 'example.com/seconds': seconds },
  },
  spec: { containers: [{ name: 'main', image: 'busybox' }] },
})

it('lets a pod live for its time, and calls the countdown off if it goes earlier', async () => {
  await using t = await harness(op, { ...stage })
  await t.cluster.create('pods', pod('short', '2'))
  await t.cluster.create('pods', pod('long', '3600'))
  await t.cluster.create('pods', { ...pod('other', '1'), metadata: { name: 'other' } })
  await t.until('pods', 'short', (found) => found === undefined)
  await t.cluster.delete('pods', 'long')
  await t.until('pods', 'long', (found) => found === undefined)
  await t.settled()
  const lines = t.logs.map(({ message }) => message)
  expect(lines).toContain('short is born, with 1 containers')
  expect(lines).toContain('short dies with 0 s left')
  expect(lines).toContain('long has 3600 s left')
  expect(lines).toContain('long: the countdown is off')
  expect(lines.filter((line) => line.startsWith('other'))).toEqual([])
  const { metadata } = await t.cluster.get('pods', 'other')
  expect(metadata.finalizers).toBeUndefined()
})
