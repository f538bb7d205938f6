import { operator, TemporaryError } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { type Harness, harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

/** Lets a minute pass in small steps, and counts the calls in it. */
async function callsWithin(t: Harness, seconds: number): Promise<number> {
  const before = t.runs.length
  for (let n = 0; n < seconds; n++) await t.advance('1s')
  return t.runs.length - before
}

function warnings(t: Harness): readonly string[] {
  return t.logs
    .filter(({ level, message }) => level === 'warn' && message.includes('slowed down'))
    .map((l) => l.message)
}

describe('an object that its own handlers change without end', () => {
  it('is slowed down when the handler writes the field that it is called for, which is said once', async () => {
    const op = operator('loops')
    op.on.create(Kex, { id: 'begin' }, () => {})
    op.on.field(Kex, { field: 'spec.replicas', id: 'grow' }, ({ current, patch }) => {
      patch.spec.replicas = (current ?? 0) + 1
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, { ...sample, spec: { replicas: 1 } })
    expect(await callsWithin(t, 60)).toBeLessThan(30)
    expect(await callsWithin(t, 600)).toBeLessThan(20)
    expect(warnings(t)).toEqual([
      expect.stringMatching(
        /^KopfExample default\/a was handled 11 times in a row because of what its own handler "grow\/spec.replicas" wrote, and is slowed down\. Write only what differs/,
      ),
    ])
    expect(t.health().slowed).toEqual([
      { object: 'KopfExample default/a', handlers: ['grow/spec.replicas'], waitSeconds: 60 },
    ])
    const events = await t.cluster.list('v1/events', { namespace: 'default' })
    expect(events.items.filter(({ reason }) => reason === 'TightLoop')).toHaveLength(1)
  })

  it('is slowed down when an event handler writes on every event', async () => {
    const op = operator('loops')
    let count = 0
    op.on.event(Kex, { id: 'watch' }, ({ patch }) => {
      patch.status.phase = `seen ${count++}` as never
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    expect(await callsWithin(t, 120)).toBeLessThan(30)
    expect(warnings(t)).toHaveLength(1)
  })

  it('is slowed down when a handler writes past the patch, by the client', async () => {
    const op = operator('loops')
    let count = 0
    op.on.event(Kex, { id: 'watch' }, async ({ client, type }) => {
      if (type !== 'DELETED') await client.patch(Kex, 'a', { metadata: { annotations: { count: `${count++}` } } })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    expect(await callsWithin(t, 120)).toBeLessThan(40)
    expect(warnings(t)).toHaveLength(1)
  })

  it('is slowed down when a handler asks to be tried again at once, for ever', async () => {
    const op = operator('loops')
    op.on.create(Kex, { id: 'impatient' }, () => {
      throw new TemporaryError('again', { delay: 0 })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    expect(await callsWithin(t, 120)).toBeLessThan(40)
    expect(warnings(t)).toHaveLength(1)
  })

  it('is handled at once when somebody else changes it, and is as good as new when it has been quiet', async () => {
    let looping = true
    const op = operator('loops')
    op.on.update(Kex, { id: 'grow', field: 'spec.replicas' }, ({ current, patch }) => {
      if (looping) patch.spec.replicas = (current ?? 0) + 1
    })
    op.on.update(Kex, { id: 'other', field: 'spec.field' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, { ...sample, spec: { field: 'x', replicas: 1 } })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { replicas: 2 } })
    await callsWithin(t, 60)
    expect(t.health().slowed).toHaveLength(1)
    looping = false
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.settled()
    t.expect.called('other/spec.field', 1)
    await t.advance('5m')
    expect(t.health().slowed).toEqual([])
  })
})

describe('an object that is handled in many cycles for good reasons', () => {
  it('is not suspected: thirty handlers one by one', async () => {
    const op = operator('turns', { settings: { execution: { lifecycle: 'oneByOne' } } })
    for (let n = 0; n < 30; n++) op.on.create(Kex, { id: `handler-${n}` }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(t.runs).toHaveLength(30)
    expect(warnings(t)).toEqual([])
  })

  it('is not suspected: many changes by somebody else', async () => {
    const op = operator('turns')
    op.on.update(Kex, { id: 'note' }, ({ patch, spec }) => {
      patch.status.phase = spec.field as never
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    for (let n = 0; n < 40; n++) {
      await t.cluster.patch(Kex, 'default/a', { spec: { field: `${n}` } })
      await t.settled()
    }
    t.expect.called('note', 40)
    expect(warnings(t)).toEqual([])
  })
})
