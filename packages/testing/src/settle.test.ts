import { BinnacleError } from '@binnacle/core'
import { expect, it } from 'vitest'
import { rest, settle } from './settle.ts'

/** Busy for so many looks, then quiet. */
const busyFor = (looks: number) => {
  let left = looks
  return () => (left-- > 0 ? ['pods default/a'] : [])
}

it('resolves when nothing is in flight', async () => {
  await settle(() => [], 100)
})

it('waits for what is in flight', async () => {
  const activity = busyFor(50)
  await settle(activity, 1000)
  expect(activity()).toEqual([])
})

it('is not deceived by a short silence', async () => {
  const looks = [[], ['a'], [], [], ['b'], []]
  let look = 0
  await settle(() => looks[look++] ?? [], 1000)
  expect(look).toBeGreaterThan(looks.length)
})

it('rejects with what keeps going', async () => {
  const endless = settle(() => ['KopfExample default/a'], 20)
  await expect(endless).rejects.toBeInstanceOf(BinnacleError)
  await expect(endless).rejects.toMatchObject({
    code: 'BIN_NOT_SETTLED',
    message: 'Still going after 20 turns: KopfExample default/a',
  })
})

it('takes whoever is at the same thing for long for waiting, if only rest is asked for', async () => {
  await rest(() => ['a handler that sleeps'], 10_000)
})

it('waits for those who are not', async () => {
  let turn = 0
  await rest(() => (turn++ < 700 ? [`step ${turn % 100}`] : []), 10_000)
  expect(turn).toBeGreaterThan(700)
})

it('rejects if it always is something else', async () => {
  let turn = 0
  await expect(rest(() => [`step ${turn++}`], 50)).rejects.toThrow('Still going after 50 turns')
})
