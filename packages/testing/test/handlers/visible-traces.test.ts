import { operator, PermanentError, resource } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }
const said = (events: readonly unknown[]) =>
  (events as { type: string; reason: string; message: string; count: number }[]).map(
    ({ type, reason, message, count }) => [type, reason, message, count],
  )

describe('events in the context of a handler', () => {
  it('are posted about its object, in the name of the operator, and equal ones are counted', async () => {
    const op = operator('teller')
    op.on.create(Kex, ({ events }) => {
      events.info('Made', 'it is there')
      events.warn('Odd', 'x'.repeat(2000))
      events.exception(new TypeError('wrong'))
      for (let i = 0; i < 3; i++) events.event('Special', 'Again', 'and again')
    })
    await using t = await harness(op, { resources: [Kex], settings: { posting: { reportingInstance: 'here' } } })
    const { metadata } = await t.cluster.create(Kex, sample)
    await t.settled()
    const { items } = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(said(items)).toEqual([
      ['Normal', 'Made', 'it is there', 1],
      ['Warning', 'Odd', `${'x'.repeat(510)}...${'x'.repeat(510)}`, 1],
      ['Warning', 'TypeError', 'wrong', 1],
      ['Special', 'Again', 'and again', 3],
    ])
    expect(items[0]).toMatchObject({
      involvedObject: { kind: 'KopfExample', name: 'a', namespace: 'default', uid: metadata.uid },
      reportingComponent: 'teller',
      reportingInstance: 'here',
    })
  })

  it('are there for event handlers, steps, daemons and timers too', async () => {
    const op = operator('teller')
    op.on.event(Kex, ({ events, type }) => {
      if (type === 'ADDED') events.info('Event', 'x')
    })
    op.on.create(Kex, ({ step }) => {
      void step('inner', ({ events }) => events.info('Step', 'x'))
    })
    op.daemon(Kex, ({ events }) => events.info('Daemon', 'x'))
    op.timer(Kex, {}, ({ events }) => events.info('Timer', 'x'))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    const { items } = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(items.map(({ reason }) => reason).sort()).toEqual(['Daemon', 'Event', 'Step', 'Timer'])
  })

  it('are not posted where that is switched off', async () => {
    const op = operator('teller', { settings: { posting: { enabled: false } } })
    op.on.create(Kex, ({ events }) => events.info('Made', 'x'))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect((await t.cluster.list('v1/events', { namespace: 'default' })).items).toEqual([])
  })

  it('that are refused hurt nobody: it is said once', async () => {
    const op = operator('teller')
    op.on.create(Kex, ({ events, body }) => {
      const elsewhere = { ...body, metadata: { ...body.metadata, namespace: 'nowhere' } }
      for (const reason of ['A', 'B']) events.info(reason, 'x', { about: elsewhere })
      return 'fine'
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.expect.object(Kex, 'default/a', { status: { create: 'fine' } })
    expect(t.logs.filter(({ level }) => level === 'warn').map(({ message }) => message.split(':')[0])).toEqual([
      'The event "A" about KopfExample a could not be posted',
    ])
  })
})

describe('a permanent failure leaves a visible trace', () => {
  const Tidy = resource({
    group: 'kopf.dev',
    version: 'v1',
    kind: 'Tidy',
    plural: 'tidies',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        status: {
          type: 'object',
          properties: {
            conditions: {
              type: 'array',
              items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    },
  })
  const failing = () => {
    const op = operator('tracer')
    op.on.create(Kex, { id: 'make' }, () => {
      throw new PermanentError('no way')
    })
    op.on.create(Tidy, { id: 'make' }, () => {
      throw new PermanentError('no way')
    })
    op.on.update(Tidy, { id: 'mend' }, () => {})
    return op
  }

  it('an event always (Kopf leaves none)', async () => {
    await using t = await harness(failing(), { resources: [Kex, Tidy] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    const { items } = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(said(items)).toEqual([['Warning', 'HandlerFailed', 'Handler "make" (create) failed for good: no way', 1]])
    expect(await t.cluster.get(Kex, 'default/a')).not.toHaveProperty('status')
  })

  it('and a condition where the schema declares conditions, which turns true when the object is handled', async () => {
    await using t = await harness(failing(), { resources: [Kex, Tidy] })
    await t.cluster.create(Tidy, sample as never)
    await t.settled()
    const conditionsOf = async () =>
      ((await t.cluster.get(Tidy, 'default/a')).status as never as { conditions: object[] }).conditions
    expect(await conditionsOf()).toMatchObject([
      { type: 'tracer.binnacle.dev/Handled', status: 'False', reason: 'HandlerFailed', message: 'make: no way' },
    ])
    await t.cluster.patch(Tidy, 'default/a', { spec: { field: 'y' } } as never)
    await t.settled()
    expect(await conditionsOf()).toMatchObject([{ status: 'True', reason: 'Handled' }])
    t.expect.called('mend', 1)
    t.expect.called('make', 1, 'default/a')
  })
})

describe('a daemon or timer that fails for good', () => {
  const Conditioned = resource({
    group: 'kopf.dev',
    version: 'v1',
    kind: 'Conditioned',
    schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        status: {
          type: 'object',
          properties: {
            conditions: {
              type: 'array',
              items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    },
  })

  it('leaves an event, and a condition that turns when it runs again', async () => {
    let broken = true
    const op = operator('teller')
    op.daemon(Conditioned, { id: 'watchdog' }, async ({ stopped }) => {
      if (broken) throw new PermanentError('no bone')
      await stopped.wait('1d')
    })
    op.timer(Conditioned, { id: 'ticker', interval: '10s' }, () => {})
    await using t = await harness(op, { resources: [Conditioned] })
    await t.cluster.create(Conditioned, sample)
    await t.settled()
    const { items } = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(said(items)).toEqual([['Warning', 'HandlerFailed', 'Daemon "watchdog" failed for good: no bone', 1]])
    const conditions = async () => (await t.cluster.get(Conditioned, 'default/a')).status?.conditions
    expect(await conditions()).toMatchObject([
      { type: 'teller.binnacle.dev/Running', status: 'False', reason: 'HandlerFailed', message: 'watchdog: no bone' },
    ])
    await t.advance('1m')
    expect(await conditions()).toMatchObject([{ status: 'False' }])
    broken = false
    await t.restart()
    await t.settled()
    await t.stop()
    expect(await conditions()).toMatchObject([{ status: 'True', reason: 'Started', message: 'watchdog runs again.' }])
  })
})

describe('what is posted', () => {
  it('may be what handlers log, and not less than the level says', async () => {
    const op = operator('teller', { settings: { posting: { loggers: true, level: 'warn', eventNamePrefix: 'mine-' } } })
    op.on.create(Kex, { id: 'greet' }, ({ logger, events }) => {
      logger.info('quiet')
      logger.warn('loud')
      events.info('Said', 'too quiet')
      events.event('Normal', 'Plain', 'always')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    const { items } = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(said(items)).toEqual([
      ['Warning', 'Logging', 'loud', 1],
      ['Normal', 'Plain', 'always', 1],
    ])
    expect(items.every(({ metadata }) => metadata.name.startsWith('mine-'))).toBe(true)
  })
})
