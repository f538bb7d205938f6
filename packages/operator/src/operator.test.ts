import type { Client } from '@binnacle/client'
import { VirtualClock } from '@binnacle/core'
import { expect, it } from 'vitest'
import { Kex } from '../test/sample.ts'
import { index } from './declare/index-handler.ts'
import { operator } from './operator.ts'

/** A server that never answers. */
const silent = () => {
  const client = {
    discovery: {
      refresh: ({ signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          if (signal.aborted) reject(signal.reason)
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    },
    with: () => client,
  } as unknown as Client
  return client
}

it('describes what is declared', () => {
  const op = operator('hello', { indices: { names: index('pods', ({ name }) => name) } })
  op.on.create(Kex, () => {})
  op.on.delete('pods', { optional: true }, function gone() {})
  op.on.delete(Kex, () => {})
  expect(op.describe()).toEqual({
    name: 'hello',
    handlers: [
      { id: 'create', kind: 'create', resource: 'kopfexamples.kopf.dev', finalizer: false },
      { id: 'gone', kind: 'delete', resource: 'pods', finalizer: false },
      { id: 'delete', kind: 'delete', resource: 'kopfexamples.kopf.dev', finalizer: true },
    ],
    indices: [{ name: 'names', resource: 'pods' }],
  })
})

it('has its indices, empty, before it runs', () => {
  const op = operator('hello', { indices: { names: index('pods', ({ name }) => name) } })
  expect(op.indices.names.get(null).toArray()).toEqual([])
})

it('refuses what is not an index, a name that is none, and settings that cannot be', () => {
  expect(() => operator('hello', { indices: { wrong: (() => 1) as never } })).toThrow(
    '"wrong" in the indices of the operator is not an index',
  )
  expect(() => operator('Hello')).toThrow('cannot be the name of an operator')
  expect(() => operator('hello', { settings: { queueing: { workerLimit: 0 } } })).toThrow(
    'Setting queueing.workerLimit',
  )
})

it('takes no declaration after the start', async () => {
  const op = operator('hello')
  const stopped = AbortSignal.abort(new Error('enough'))
  await op.start({ client: silent(), signal: stopped, clock: new VirtualClock() }).catch(() => {})
  expect(() => op.on.create(Kex, () => {})).toThrow('is declared after operator "hello" was started')
})

it.each([
  ['before it began', () => AbortSignal.abort()],
  [
    'while it starts',
    () => {
      const control = new AbortController()
      setImmediate(() => control.abort())
      return control.signal
    },
  ],
])('ends without an error when it is told to stop %s, and leaves no listener on the process', async (_, signal) => {
  const op = operator('hello')
  op.on.create(Kex, () => {})
  const before = [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]
  await op.run({ client: silent(), signal: signal(), logger: { write: () => {} } })
  expect([process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')]).toEqual(before)
})
