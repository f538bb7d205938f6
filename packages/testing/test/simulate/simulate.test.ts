import { handlers, index, type KubeObject, operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../src/index.ts'
import { Kex } from '../kex.ts'

const kex = (spec: object, more: object = {}) =>
  ({
    apiVersion: 'kopf.dev/v1',
    kind: 'KopfExample',
    metadata: { name: 'a', namespace: 'default', uid: 'u-1', resourceVersion: '1', ...more },
    spec,
  }) as unknown as KubeObject

const op = operator('rehearsed', {
  indices: { byField: index(Kex, ({ spec, name }) => ({ [spec.field]: name })) },
  memo: () => ({ seen: 0 }),
  shared: () => ({ greeting: 'Hello' }),
})
op.on.create(Kex, function greet({ name, patch, memo, shared, logger, events, byField }) {
  memo.seen++
  logger.info('greeting', { name })
  events.info('Greeted', `${shared.greeting}, ${name}`)
  patch.status.greeting = `${shared.greeting}, ${name}: ${byField.size}`
  return { seen: memo.seen }
})
op.on.update(Kex, function changes({ old, diff, patch }) {
  patch.edit((draft) => {
    draft.spec.edited = true
  })
  return `${old?.spec.field} ${diff.length}`
})
op.on.create(Kex, { retries: 3 }, function fickle({ retry }) {
  if (retry === 0) throw new TemporaryError('not yet', { delay: 5 })
  throw new Error(`attempt ${retry + 1}`)
})
op.on.create(Kex, function refused() {
  throw new PermanentError('never')
})
op.on.create(Kex, async function asks({ client }) {
  await client.get('configmaps', 'a')
})
op.on.create(Kex, async function inSteps({ step }) {
  const made = await step('first', () => 'made')
  return { made }
})
op.on.event(Kex, function watches({ type, patch }) {
  patch.status.last = type
})
op.on.field(Kex, { field: 'spec.size' }, function resized({ old, new: now, reason }) {
  return `${reason}: ${old} → ${now}`
})
op.daemon(Kex, async function accompanies({ stopped, spec, patch }) {
  let rounds = 0
  while (!(await stopped.wait('10s'))) rounds++
  patch.status.ended = { rounds, field: spec.field, why: stopped.reason?.why }
})
op.timer(Kex, { interval: 10 }, function ticks({ retry }) {
  return { retry }
})
const set = handlers('extra', { memo: () => ({ own: true }) })
set.on.create(Kex, { id: 'own' }, ({ memo }) => ({ ...memo }))
op.use(set)

describe('one handler, without a cluster', () => {
  it('is called with what it would be called with, and nothing is written', async () => {
    const { outcome, result, patch, after, events, logs, error } = await simulate(op, 'greet', kex({ field: 'x' }))
    expect({ outcome, result, error }).toEqual({ outcome: 'success', result: { seen: 1 }, error: undefined })
    expect(patch).toEqual({ status: { greeting: 'Hello, a: 0', greet: { seen: 1 } } })
    expect(after).toMatchObject({ spec: { field: 'x' }, status: { greeting: 'Hello, a: 0' } })
    expect(events).toMatchObject([
      { type: 'Normal', reason: 'Greeted', message: 'Hello, a', about: 'KopfExample default/a' },
    ])
    expect(logs[0]).toEqual({ level: 'info', message: 'greeting', fields: { name: 'a' } })
  })

  it('gets the things that it is given instead', async () => {
    const shared = { greeting: 'Hi' }
    const { patch } = await simulate(op, 'greet', kex({}), {
      shared,
      memo: { seen: 41 },
      indices: { byField: { size: 7 } },
    })
    expect(patch).toEqual({ status: { greeting: 'Hi, a: 7', greet: { seen: 42 } } })
  })

  it('of an update sees the change', async () => {
    const { result, after } = await simulate(op, 'changes', kex({ field: 'y' }), { old: kex({ field: 'x' }) })
    expect(result).toBe('x 1')
    expect(after).toMatchObject({ spec: { field: 'y', edited: true } })
  })

  it('of a field sees that field', async () => {
    const options = { old: kex({ size: 1 }) }
    expect((await simulate(op, 'resized/spec.size', kex({ size: 2 }), options)).result).toBe('update: 1 → 2')
    expect((await simulate(op, 'resized/spec.size', kex({ size: 2 }))).result).toBe('create: undefined → 2')
  })

  it.each([
    [0, 'temporary', 'not yet'],
    [1, 'temporary', 'attempt 2'],
    [2, 'permanent', 'has not succeeded in 3 attempts'],
  ])('fails as it would at attempt %d', async (retry, outcome, message) => {
    const simulated = await simulate(op, 'fickle', kex({}), { retry })
    expect(simulated.outcome).toBe(outcome)
    expect(String(simulated.error)).toContain(message)
  })

  it('fails for good, with the event that a run would post', async () => {
    const { outcome, events } = await simulate(op, 'refused', kex({}))
    expect([outcome, events[0]?.reason]).toEqual(['permanent', 'HandlerFailed'])
  })

  it('runs the steps within it', async () => {
    expect(await simulate(op, 'inSteps', kex({}))).toMatchObject({ outcome: 'success', result: { made: 'made' } })
  })

  it('of events is told one', async () => {
    expect((await simulate(op, 'watches', kex({}))).patch).toEqual({ status: { last: 'ADDED' } })
    expect((await simulate(op, 'watches', kex({}), { old: kex({}) })).patch).toEqual({ status: { last: 'MODIFIED' } })
  })

  it('of a daemon is told to stop when it waits first, and of a timer is called once', async () => {
    expect((await simulate(op, 'accompanies', kex({ field: 'x' }))).patch).toEqual({
      status: { ended: { rounds: 0, field: 'x', why: 'operator-exiting' } },
    })
    expect((await simulate(op, 'ticks', kex({}), { retry: 2 })).result).toEqual({ retry: 2 })
  })

  it('of a set sees what the set has', async () => {
    expect((await simulate(op, 'extra/own', kex({}))).result).toEqual({ own: true })
  })

  it('says that there is no cluster when it asks one', async () => {
    const { outcome, error } = await simulate(op, 'asks', kex({}))
    expect(outcome).toBe('temporary')
    expect(error).toMatchObject({ message: 'The handler called client.get, and simulate has no cluster' })
  })

  it('says which there are when there is none of that name', async () => {
    await expect(simulate(op, 'gret', kex({}))).rejects.toMatchObject({
      message: 'Operator "rehearsed" has no handler "gret"',
      hint: expect.stringContaining('greet, changes'),
    })
    await expect(simulate({ name: 'x' } as never, 'a', kex({}))).rejects.toThrow('Not an operator')
  })
})
