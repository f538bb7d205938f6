import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = (name: string) => ({ metadata: { name, namespace: 'default' }, spec: { field: 'x' } })

describe('a paused operator', () => {
  it('handles nothing, and hears after it of all that has happened, deletions included', async () => {
    const told: string[] = []
    const op = operator('paused')
    op.on.create(Kex, { id: 'made' }, ({ name }) => void told.push(`made ${name}`))
    op.on.update(Kex, { id: 'changed' }, ({ name }) => void told.push(`changed ${name}`))
    op.on.event(Kex, { id: 'seen' }, ({ name, type }) => {
      if (type === 'DELETED') told.push(`gone ${name}`)
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample('a'))
    await t.cluster.create(Kex, sample('b'))
    await t.settled()
    await t.operator.pause()
    expect(t.health()).toMatchObject({ paused: true, ready: true })
    told.length = 0
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.cluster.delete(Kex, 'default/b')
    await t.cluster.create(Kex, sample('c'))
    await t.advance('10m')
    expect(told).toEqual([])
    await t.operator.resume()
    await t.advance('1m')
    expect(told.sort()).toEqual(['changed a', 'gone b', 'made c'])
    expect(t.health()).toMatchObject({ paused: false, ready: true })
  })

  it('has stopped its daemons and timers, which start again after it', async () => {
    const ends: string[] = []
    let ticks = 0
    const op = operator('paused')
    op.daemon(Kex, { id: 'daemon' }, async ({ stopped }) => {
      await stopped.wait('1d')
      ends.push(stopped.reason?.why ?? 'nothing')
    })
    op.timer(Kex, { id: 'timer', interval: '10s' }, () => void ticks++)
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample('a'))
    await t.settled()
    await t.operator.pause()
    expect(ends).toEqual(['operator-pausing'])
    const before = ticks
    await t.advance('10m')
    expect(ticks).toBe(before)
    await t.operator.resume()
    await t.advance('1m')
    expect(ticks).toBeGreaterThan(before + 4)
    expect(t.health().background.running).toBe(2)
  })

  it('waits for handlers that run, and may be stopped', async () => {
    const order: string[] = []
    const op = operator('paused')
    op.on.create(Kex, { id: 'slow' }, async ({ signal }) => {
      await t.clock.sleep('2s', signal)
      order.push('done')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample('a'))
    await t.advance('1s')
    const pause = t.operator.pause().then(() => order.push('paused'))
    await t.advance('5s')
    await pause
    expect(order).toEqual(['done', 'paused'])
    await t.stop()
  })

  it('is paused once, however often it is asked, and goes on once', async () => {
    const op = operator('paused')
    op.on.create(Kex, { id: 'made' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.operator.resume()
    await Promise.all([t.operator.pause(), t.operator.pause()])
    await t.operator.resume()
    await t.cluster.create(Kex, sample('a'))
    await t.advance('1m')
    t.expect.called('made', 1)
  })
})

describe('an object that is triggered', () => {
  it('is looked at, so that filters on what lies outside of the cluster are asked anew', async () => {
    let wanted = false
    let running = 0
    const op = operator('triggered')
    op.daemon(Kex, { id: 'daemon', when: () => wanted }, async ({ stopped }) => {
      running++
      await stopped.wait('1d')
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample('a'))
    await t.settled()
    expect(running).toBe(0)
    wanted = true
    t.operator.trigger('pods', 'default/a')
    t.operator.trigger(Kex, 'default/other')
    await t.settled()
    expect(running).toBe(0)
    t.operator.trigger(Kex, 'default/a')
    await t.settled()
    expect(running).toBe(1)
  })
})
