import { index, operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { isHandledBy, PAUSE, stage } from './world.ts'

const { scene } = stage(Widget)

describe('a line that breaks in the middle of a hundred changes', () => {
  it('loses nothing, whether it was cut or away for a while', async () => {
    await using s = await scene()
    const seen = new Map<string, number>()
    const op = operator('steadfast')
    op.on.create(Widget, ({ name, spec }) => void seen.set(name, spec.n))
    op.on.update(Widget, ({ name, spec }) => void seen.set(name, spec.n))
    const subject = await s.start(op)
    const names = Array.from({ length: 10 }, (_, i) => `w${i}`)
    for (const name of names) await s.client.create(Widget, { metadata: { name }, spec: { n: 0 } })
    for (let change = 1; change <= 100; change++) {
      await s.client.patch(Widget, names[change % names.length] ?? '', { spec: { n: change } })
      if (change % 15 === 0) subject.link.cut()
      if (change === 40) subject.link.sever()
      if (change === 60) subject.link.restore()
      if (change % 20 === 0) await s.pass(PAUSE)
    }
    await s.when(async () => (await s.client.list(Widget)).items.every(isHandledBy('steadfast')))
    await s.settled()
    const { items } = await s.client.list(Widget)
    expect(Object.fromEntries(seen)).toEqual(
      Object.fromEntries(items.map(({ metadata, spec }) => [metadata.name, spec.n])),
    )
    expect([...seen.values()].sort((a, b) => a - b)).toEqual([91, 92, 93, 94, 95, 96, 97, 98, 99, 100])
  })

  it('loses nothing of one object either, and never goes back to an older state', async () => {
    await using s = await scene()
    const seen: number[] = []
    const op = operator('steadfast')
    op.on.create(Widget, ({ spec }) => void seen.push(spec.n))
    op.on.update(Widget, ({ spec, old }) => {
      expect(old?.['spec'].n).toBeLessThan(spec.n)
      seen.push(spec.n)
    })
    const subject = await s.start(op)
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: { n: 0 } })
    for (let n = 1; n <= 100; n++) {
      await s.client.patch(Widget, 'a', { spec: { n } })
      if (n % 10 === 0) subject.link.cut()
    }
    await s.until(Widget, 'a', isHandledBy('steadfast'))
    await s.settled()
    expect(seen.at(-1)).toBe(100)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
  })
})

describe.each([
  { and: '', forget: false },
  { and: ' and the server forgets its history', forget: true },
])('while the line is away$and', ({ forget }) => {
  it('an object vanishes: an optional delete handler is told afterwards, and the index forgets it', async () => {
    await using s = await scene()
    const op = operator('away', { indices: { byName: index(Widget, ({ name, spec }) => ({ [name]: spec.n })) } })
    const told: unknown[] = []
    op.on.create(Widget, () => {})
    op.on.delete(Widget, { optional: true, id: 'farewell' }, ({ name, spec, byName }) => {
      told.push({ name, n: spec.n, indexed: byName.has(name) })
    })
    const subject = await s.start(op)
    for (const name of ['a', 'b']) await s.client.create(Widget, { metadata: { name }, spec: { n: 1 } })
    for (const name of ['a', 'b']) await s.until(Widget, name, isHandledBy('away'))
    subject.link.sever()
    await s.client.delete(Widget, 'a')
    if (forget) s.forgetHistory()
    await s.pass(PAUSE)
    subject.link.restore()
    await s.when(() => told.length > 0)
    await s.settled()
    expect(told).toEqual([{ name: 'a', n: 1, indexed: false }])
    expect([...(subject.running.indices as typeof op.indices).byName.keys()]).toEqual(['b'])
    expect(subject.runs.of('farewell').map(({ outcome }) => outcome)).toEqual(['success'])
  })

  it('an object is replaced by a namesake: the one is told of as gone, the other as new', async () => {
    await using s = await scene()
    const op = operator('away')
    op.on.create(Widget, { id: 'welcome' }, ({ spec }) => ({ field: spec.field }))
    op.on.delete(Widget, { optional: true, id: 'farewell' }, () => {})
    const subject = await s.start(op)
    const first = await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'first' } })
    await s.until(Widget, 'a', isHandledBy('away'))
    // The operator has to hear that its write has arrived, or it may well handle the object again.
    await s.settled()
    subject.link.sever()
    await s.client.delete(Widget, 'a')
    const second = await s.client.create(Widget, { metadata: { name: 'a' }, spec: { field: 'second' } })
    if (forget) s.forgetHistory()
    await s.pass(PAUSE)
    subject.link.restore()
    await s.until(Widget, 'a', isHandledBy('away'))
    await s.when(() => subject.runs.of('farewell').length > 0)
    await s.settled()
    expect(subject.runs.of('farewell').map(({ uid }) => uid)).toEqual([first.metadata.uid])
    expect(subject.runs.of('welcome').map(({ uid }) => uid)).toEqual([first.metadata.uid, second.metadata.uid])
  })

  it('a handler that finishes is heard of when the line is back, and does not run again', async () => {
    await using s = await scene()
    const op = operator('away')
    op.on.create(Widget, ({ retry }) => {
      if (subject.runs.length === 1) subject.link.sever()
      return { retry }
    })
    const subject = s.add(op)
    await subject.start()
    await s.client.create(Widget, { metadata: { name: 'a' }, spec: {} })
    await s.when(() => subject.runs.some(({ outcome }) => outcome === 'success'))
    await s.pass(0.5) // Writes are tried for some seconds; after that the handler would run again.
    expect((await s.client.get(Widget, 'a')).status).toBeUndefined()
    subject.link.restore()
    const { status } = await s.until(Widget, 'a', isHandledBy('away'))
    await s.settled()
    expect(status).toEqual({ create: { retry: 0 } })
    expect(subject.runs).toHaveLength(1)
  })
})
