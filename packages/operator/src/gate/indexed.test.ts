import { expect, it } from 'vitest'
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
  expect(gate.missing).toEqual(['nodes'])
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
