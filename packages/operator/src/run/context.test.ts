import { diff, silentLogger } from '@binnacle/core'
import { expect, it } from 'vitest'
import { handler, kex, noEvents, served } from '../../test/sample.ts'
import { changeContext, changeView, objectView } from './context.ts'

const surroundings = (indices: { [name: string]: unknown } = {}) => ({
  resource: served().info,
  memo: {},
  shared: 'shared',
  logger: silentLogger,
  events: noEvents,
  indices,
})
const old = { spec: { a: 1, b: 1 } }
const current = { spec: { a: 2, b: 1 } }
const step = () => undefined
const change = { reason: 'update', old, current, diff: diff(old, current) } as const
const attempt = {
  retry: 1,
  started: new Date(0),
  runtime: 3,
  signal: new AbortController().signal,
}
const means = { patch: {}, client: {} as never, idempotencyKey: () => 'k' }
const body = kex({ labels: { x: '1' } }, { spec: current.spec })

it('shows absent stanzas as empty objects', () => {
  expect(objectView(kex(), surroundings())).toMatchObject({
    spec: {},
    status: {},
    labels: {},
    annotations: {},
    name: 'a',
    namespace: 'default',
  })
})

it('copies nothing of the body', () => {
  const view = objectView(body, surroundings()) as { body: unknown; spec: unknown; labels: unknown; meta: unknown }
  expect(view.body).toBe(body)
  expect(view.spec).toBe(body['spec'])
  expect(view.labels).toBe(body.metadata.labels)
  expect(view.meta).toBe(body.metadata)
})

it('shows filters the whole change, whatever the field', () => {
  expect(changeView(body, surroundings(), change)).toMatchObject({ reason: 'update', old, new: current, current })
})

it('shows a handler with a field only that field of the change', () => {
  const context = changeContext(
    handler('update', { field: 'spec.a', param: 7 }),
    body,
    surroundings(),
    change,
    attempt,
    means,
    step,
  ) as {
    diff: object[]
  }
  expect(context).toMatchObject({ old: 1, new: 2, current: 2, param: 7, retry: 1, runtime: 3 })
  expect([...context.diff]).toEqual([{ op: 'change', path: [], old: 1, new: 2 }])
})

it('lets an index win over every name of ours', () => {
  const names = [
    'body',
    'spec',
    'labels',
    'patch',
    'client',
    'old',
    'new',
    'diff',
    'retry',
    'signal',
    'adopt',
    'param',
    'memo',
    'logger',
    'reason',
  ]
  const indices = Object.fromEntries(names.map((name) => [name, `index ${name}`]))
  expect(changeContext(handler('update'), body, surroundings(indices), change, attempt, means, step)).toMatchObject(
    indices,
  )
  const { patch: _, client: __, retry: ___, signal: ____, adopt: _____, param: ______, ...visible } = indices
  expect(changeView(body, surroundings(indices), change)).toMatchObject(visible)
})

it('adopts for the object in question', () => {
  const { adopt } = changeContext(handler('update'), body, surroundings(), change, attempt, means, step) as {
    adopt(child: object): { metadata: { ownerReferences: readonly { uid: string }[] } }
  }
  expect(adopt({}).metadata.ownerReferences.map(({ uid }) => uid)).toEqual(['uid-a'])
})
