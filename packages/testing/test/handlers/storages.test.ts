import {
  annotationsDiffBase,
  annotationsProgress,
  kopfPersistence,
  multiDiffBase,
  multiProgress,
  operator,
  type ProgressStorage,
  smartProgress,
  statusDiffBase,
  statusProgress,
  TemporaryError,
} from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { World } from '../../src/world.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }
type Persistence = NonNullable<NonNullable<Parameters<typeof operator>[1]>['settings']>['persistence']

/** An operator with a handler that needs three attempts, and one for updates. */
function patient(persistence: NonNullable<Persistence>) {
  const op = operator('keeper', { settings: { persistence } })
  op.on.create(Kex, { id: 'make' }, ({ retry }) => {
    if (retry < 2) throw new TemporaryError('not yet', { delay: 10 })
  })
  op.on.update(Kex, { id: 'change' }, ({ old }) => ({ old: old?.spec.field ?? null }))
  return op
}

const STORAGES: readonly (readonly [string, NonNullable<Persistence>])[] = [
  [
    'annotations of another prefix',
    {
      progressStorage: annotationsProgress({ prefix: 'example.com' }),
      diffbaseStorage: annotationsDiffBase({ prefix: 'example.com' }),
    },
  ],
  ['the status', { progressStorage: statusProgress(), diffbaseStorage: statusDiffBase() }],
  [
    'a field of the status',
    {
      progressStorage: statusProgress({ field: 'status.mine' }),
      diffbaseStorage: statusDiffBase({ field: 'status.mine' }),
    },
  ],
  [
    'both',
    {
      progressStorage: multiProgress(annotationsProgress(), statusProgress()),
      diffbaseStorage: multiDiffBase(annotationsDiffBase(), statusDiffBase()),
    },
  ],
  ['annotations after the status', { progressStorage: smartProgress() }],
  ['the way of Kopf', kopfPersistence()],
]

describe('progress and the last-handled state', () => {
  it.each(STORAGES)('in %s survive a crash, and nothing runs without a reason', async (_, persistence) => {
    await using t = await harness(patient(persistence), { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.crash()
    await t.advance('1m')
    expect(t.runs.map(({ handler, attempt }) => `${handler} ${attempt}`)).toEqual(['make 0', 'make 1', 'make 2'])
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.settled()
    await t.expect.object(Kex, 'default/a', { status: { change: { old: 'x' } } })
    await t.restart()
    await t.advance('1h')
    expect(t.runs).toHaveLength(4)
    expect(JSON.stringify(await t.cluster.get(Kex, 'default/a'))).not.toContain('"started"')
  })

  it('move to another storage while they are read from both', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const before = await world.start(patient({ progressStorage: statusProgress() }))
    await world.client.create(Kex, sample)
    await world.settled()
    const { status } = await world.client.get(Kex, 'default/a')
    expect(status.keeper.progress.make).toMatchObject({ retries: 1 })
    await before.stop()
    const after = await world.start(patient({ progressStorage: smartProgress() }))
    await world.advance('1m')
    expect(after.runs.map(({ attempt }) => attempt)).toEqual([1, 2])
    expect((await world.client.get(Kex, 'default/a')).status.keeper.progress).toEqual({})
  })

  it('are kept wherever somebody likes', async () => {
    const kept = new Map<string, unknown>()
    const inMemory: ProgressStorage = {
      fetch: (id, { metadata }) => kept.get(`${metadata.uid} ${id}`) as never,
      store: (id, record, { metadata }) => void kept.set(`${metadata.uid} ${id}`, record),
      purge: (id, { metadata }) => void kept.delete(`${metadata.uid} ${id}`),
    }
    await using t = await harness(patient({ progressStorage: inMemory }), { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(kept.size).toBe(1)
    expect((await t.cluster.get(Kex, 'default/a')).metadata.annotations ?? {}).toEqual({})
    await t.advance('1m')
    t.expect.called('make', 3)
    expect(kept.size).toBe(0)
  })
})

describe('an object that Kopf has handled', () => {
  it('is not created anew: its finalizer, its progress and its state are understood', async () => {
    const op = operator('successor', { settings: { persistence: kopfPersistence() } })
    op.on.create(Kex, { id: 'create_fn' }, () => {})
    op.on.update(Kex, { id: 'update_fn' }, ({ old }) => ({ old: old?.spec.field ?? null }))
    op.on.delete(Kex, { id: 'delete_fn' }, () => {})
    await using t = await harness(op, { resources: [Kex], start: false })
    await t.cluster.create(Kex, {
      ...sample,
      metadata: {
        ...sample.metadata,
        finalizers: ['kopf.zalando.org/KopfFinalizerMarker'],
        annotations: { 'kopf.zalando.org/last-handled-configuration': '{"spec":{"field":"x"}}\n' },
      },
    })
    await t.start()
    await t.settled()
    expect(t.runs).toHaveLength(0)
    t.expect.quiet()
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.settled()
    await t.expect.object(Kex, 'default/a', { status: { update_fn: { old: 'x' } } })
    await t.cluster.delete(Kex, 'default/a')
    await t.settled()
    t.expect.called('delete_fn', 1)
    await t.expect.object(Kex, 'default/a', undefined)
  })

  it('goes on where Kopf was interrupted: what it has finished is not done again', async () => {
    const op = operator('successor', { settings: { persistence: kopfPersistence() } })
    op.on.create(Kex, { id: 'first' }, () => {})
    op.on.create(Kex, { id: 'second' }, ({ retry }) => ({ retry }))
    await using t = await harness(op, { resources: [Kex], start: false })
    const record = (more: object) =>
      JSON.stringify({ started: '2026-01-01T00:00:00.000000+00:00', purpose: 'create', retries: 1, ...more })
    await t.cluster.create(Kex, {
      ...sample,
      metadata: {
        ...sample.metadata,
        annotations: {
          'kopf.zalando.org/first': record({ success: true, failure: false }),
          'kopf.zalando.org/second': record({ success: false, failure: false, message: 'boom' }),
        },
      },
    })
    await t.start()
    await t.settled()
    t.expect.called('first', 0)
    await t.expect.object(Kex, 'default/a', { status: { second: { retry: 1 } } })
    const { metadata } = await t.cluster.get(Kex, 'default/a')
    expect(Object.keys(metadata.annotations ?? {})).toEqual(['kopf.zalando.org/last-handled-configuration'])
  })
})

describe('an object that is too large to be kept', () => {
  const noise = (seed: number) => Array.from({ length: 12_000 }, (_, i) => Math.sin(i * seed).toString(36)).join('')

  it('is handled once for each change, without its former state, and never in a loop (kopf#1087)', async () => {
    const op = operator('large')
    op.on.create(Kex, { id: 'make' }, () => {})
    op.on.update(Kex, { id: 'change' }, ({ old }) => ({ known: old !== undefined }))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, { ...sample, spec: { noise: noise(1) } })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { noise: noise(2) } })
    await t.settled()
    await t.restart()
    await t.advance('1h')
    t.expect.called('make', 1)
    t.expect.called('change', 1)
    const { metadata, status } = await t.cluster.get(Kex, 'default/a')
    expect(status.change).toEqual({ known: false })
    expect(Object.values(metadata.annotations ?? {})[0]).toMatch(/^digest:/)
    expect(t.logs.some(({ message }) => message.includes('too large to be kept'))).toBe(true)
  })

  it('is kept compressed if that helps', async () => {
    const op = operator('large')
    op.on.update(Kex, { id: 'change' }, ({ diff }) => ({ paths: diff.map(({ path }) => path.join('.')) }))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, { ...sample, spec: { text: 'lorem ipsum '.repeat(20_000), field: 'x' } })
    await t.settled()
    await t.cluster.patch(Kex, 'default/a', { spec: { field: 'y' } })
    await t.settled()
    await t.expect.object(Kex, 'default/a', { status: { change: { paths: ['spec.field'] } } })
  })

  it('and a step whose result is too large to be remembered fails with the reason', async () => {
    const op = operator('large')
    op.on.create(Kex, { id: 'make' }, async ({ step }) => {
      await step('big', () => noise(1))
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(String(t.runs.of('make/big')[0]?.error)).toContain('can be remembered: return what identifies it')
    expect(t.runs.of('make')[0]?.outcome).toBe('permanent')
  })
})
