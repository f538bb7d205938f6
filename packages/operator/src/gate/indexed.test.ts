import { VirtualClock } from '@binnacle/core'
import { expect, it } from 'vitest'
import { logbook } from '../../test/sample.ts'
import { IndexedGate } from './indexed.ts'

const never = new AbortController().signal
const isOpen = async (gate: IndexedGate) => {
  let open = false
  void gate.pass(never).then(() => {
    open = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  return open
}

it('is open where no index reads anything', async () => {
  expect(await isOpen(new IndexedGate([]))).toBe(true)
})

it('opens with the last kind that was missing, and not before', async () => {
  const gate = new IndexedGate(['pods', 'nodes'])
  expect(await isOpen(gate)).toBe(false)
  gate.listed('pods')
  expect(gate.progress).toEqual({ open: false, listed: 1, of: 2, awaited: ['nodes'] })
  expect(await isOpen(gate)).toBe(false)
  gate.listed('nodes')
  expect(await isOpen(gate)).toBe(true)
})

it('does not care for kinds that no index reads, nor for hearing of one twice', async () => {
  const gate = new IndexedGate(['pods'])
  gate.listed('services')
  expect(await isOpen(gate)).toBe(false)
  gate.listed('pods')
  gate.listed('pods')
  expect(await isOpen(gate)).toBe(true)
})

it('lets those in who waited', async () => {
  const gate = new IndexedGate(['pods'])
  const waiting = Promise.all([gate.pass(never), gate.pass(never)])
  gate.listed('pods')
  await waiting
})

it('does not keep those who are called away', async () => {
  const control = new AbortController()
  const waiting = new IndexedGate(['pods']).pass(control.signal)
  control.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
})

it('says what it waits for when that takes long, and is silent otherwise', async () => {
  const { lines, logger } = logbook()
  const clock = new VirtualClock()
  const gate = new IndexedGate(['pods', 'nodes'])
  const reported = gate.report(clock, logger, never)
  gate.listed('pods')
  await clock.advance(4)
  expect(lines).toEqual([])
  await clock.advance(1)
  expect(lines).toEqual(['warn Handlers wait for the indices: 1 of 2 kinds are listed, awaited: nodes.'])
  gate.listed('nodes')
  await reported
  await clock.advance(60)
  expect(lines).toHaveLength(1)
  expect(clock.sleeping).toBe(0)
})
