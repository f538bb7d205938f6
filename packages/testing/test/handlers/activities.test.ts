import { handlers, operator, PermanentError, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { World } from '../../src/world.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: {} }

describe('a startup handler', () => {
  it('runs before any other, and again until it has succeeded', async () => {
    const order: string[] = []
    const op = operator('hooks')
    op.on.startup(function connect({ retry, activity, client, logger }) {
      expect([typeof client.get, typeof logger.info]).toEqual(['function', 'function'])
      order.push(`${activity} ${retry}`)
      if (retry < 1) throw new TemporaryError('not yet', { delay: 30 })
    })
    op.on.create(Kex, () => {
      order.push('create')
    })
    await using t = await harness(op, { resources: [Kex], start: false })
    await t.cluster.create(Kex, sample)
    await t.start()
    await t.settled()
    expect(order).toEqual(['startup 0', 'startup 1', 'create'])
  })

  it('may change the settings, which are checked and frozen after it', async () => {
    const op = operator('hooks')
    op.on.startup(({ settings }) => {
      settings.execution.defaultBackoff = '7s'
      settings.persistence.finalizer = 'example.com/mine'
    })
    op.on.delete(Kex, () => {})
    op.on.create(Kex, { id: 'made' }, ({ retry }) => {
      if (retry === 0) throw new Error('once')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.expect.object(Kex, 'default/a', { metadata: { finalizers: ['example.com/mine'] } })
    await t.advance('7s')
    t.expect.called('made', 2)
    expect(t.operator.settings.execution.defaultBackoff).toBe('7s')
    expect(Object.isFrozen(t.operator.settings.execution)).toBe(true)
  })

  it('that leaves a setting which cannot be ends the start', async () => {
    const op = operator('hooks')
    op.on.startup(({ settings }) => {
      settings.queueing.workerLimit = 0
    })
    await expect(harness(op, { resources: [Kex] })).rejects.toThrow('Setting queueing.workerLimit: 0 is not')
  })

  it('that fails for good ends the start, after all others have had their chance; nothing is cleaned up', async () => {
    const order: string[] = []
    const op = operator('hooks')
    op.on.startup({ id: 'bad' }, () => {
      throw new PermanentError('no database')
    })
    op.on.startup({ id: 'good' }, () => void order.push('good'))
    op.on.cleanup(() => void order.push('cleanup'))
    await expect(harness(op, { resources: [Kex] })).rejects.toMatchObject({
      name: 'ActivityError',
      activity: 'startup',
      message: 'The startup failed for good in "bad": no database',
    })
    expect(order).toEqual(['good'])
  })
})

describe('a cleanup handler', () => {
  it('runs after everything else, while what is shared is still there', async () => {
    const order: string[] = []
    const shared = { [Symbol.dispose]: () => void order.push('disposed') }
    const set = handlers('set')
    set.on.cleanup({ id: 'inner' }, () => void order.push('inner'))
    const op = operator('hooks', { shared: () => shared }).use(set)
    op.on.cleanup(function close(context) {
      expect(context.shared).toBe(shared)
      expect(context.activity).toBe('cleanup')
      order.push('close')
    })
    await using world = await World.virtual({ resources: [Kex] })
    const subject = await world.start(op)
    await subject.stop()
    expect(order).toEqual(['close', 'inner', 'disposed'])
    expect(subject.logs.map(({ message }) => message)).toContain('Handler "set/inner" (cleanup) succeeded.')
  })

  it('that fails is logged, and does not keep the operator from ending', async () => {
    const op = operator('hooks', { settings: { process: { ultimateExitingTimeout: '1m' } } })
    op.on.cleanup({ id: 'bad' }, () => {
      throw new PermanentError('broken')
    })
    op.on.cleanup({ id: 'endless' }, () => new Promise(() => {}))
    await using world = await World.virtual({ resources: [Kex] })
    const subject = await world.start(op)
    await subject.stop()
    expect(subject.logs.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'Handler "bad" (cleanup) failed for good: broken',
      'The operator could not clean up: Cleaning up took too long',
    ])
  })
})

describe('settings', () => {
  it('that are not known are refused, with those that are', () => {
    expect(() => operator('x', { settings: { queueing: { workers: 3 } } as never })).toThrow(
      'There are no settings "queueing.workers"',
    )
    expect(() => operator('x', { settings: { queuing: {} } as never })).toThrow('There are no settings "queuing"')
  })
})

it('two activities under one id are refused, with the line to write', () => {
  const op = operator('hooks')
  op.on.startup(() => {})
  expect(() => op.on.startup(() => {})).toThrow('Two startup handlers have the id "startup"')
  expect(() => op.on.cleanup(() => {})).not.toThrow()
  expect(() => op.on.startup('pods' as never)).toThrow('The startup handler is not a function')
})
