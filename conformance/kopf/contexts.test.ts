import { harness } from '@binnacle/testing'
import { index, operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** What handlers are given: names, views, memories. */

const ALWAYS = ['logger', 'param', 'retry', 'started', 'runtime', 'shared']
const OBJECT = [
  'resource',
  'body',
  'spec',
  'meta',
  'status',
  'uid',
  'name',
  'namespace',
  'labels',
  'annotations',
  'memo',
]
const ACTING = ['patch', 'client', 'signal', 'events', 'adopt', 'ownerReference']
const CHANGE = ['reason', 'old', 'new', 'current', 'diff', 'step']
const sample = { metadata: { name: 'a', namespace: 'default', labels: { app: 'x' } }, spec: { n: 1 } }

describe('the context', () => {
  it('has what each kind of handler needs, and every index by its name', async () => {
    const missing: string[] = []
    const looked = new Set<string>()
    const look =
      (what: string, ...names: readonly string[][]) =>
      (context: object) => {
        looked.add(what)
        for (const name of [...names.flat(), 'byApp']) if (!(name in context)) missing.push(`${what}: ${name}`)
      }
    const op = operator('contexts', { indices: { byApp: index(Kex, ({ name }) => name) } })
    op.on.startup(look('startup', ALWAYS, ['settings', 'activity', 'client']))
    op.on.cleanup(look('cleanup', ALWAYS, ['settings', 'activity', 'client']))
    op.on.event(Kex, look('event', ALWAYS, OBJECT, ACTING, ['type', 'event']))
    op.on.create(Kex, look('create', ALWAYS, OBJECT, ACTING, CHANGE))
    op.on.resume(Kex, look('resume', ALWAYS, OBJECT, ACTING, CHANGE))
    op.on.update(Kex, look('update', ALWAYS, OBJECT, ACTING, CHANGE))
    op.on.field(Kex, { field: 'spec.n' }, look('field', ALWAYS, OBJECT, ACTING, CHANGE))
    op.on.delete(Kex, look('delete', ALWAYS, OBJECT, ACTING, CHANGE))
    op.daemon(Kex, look('daemon', ALWAYS, OBJECT, ACTING, ['stopped']))
    op.timer(Kex, {}, look('timer', ALWAYS, OBJECT, ACTING, ['stopped']))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.restart()
    await t.cluster.patch(Kex, 'a', { spec: { n: 2 } })
    await t.settled()
    await t.cluster.delete(Kex, 'a')
    await t.advance('1m')
    await t.stop()
    expect(missing).toEqual([])
    expect([...looked].sort()).toEqual(
      ['startup', 'cleanup', 'event', 'create', 'resume', 'update', 'field', 'delete', 'daemon', 'timer'].sort(),
    )
  })

  it('counts attempts from zero, and keeps the time of the first', async () => {
    const seen: unknown[] = []
    const op = operator('contexts')
    op.on.create(Kex, { backoff: '10s', param: 'p' }, ({ retry, started, runtime, param }) => {
      seen.push([retry, started.toISOString(), Math.round(runtime), param])
      if (retry < 2) throw new Error('not yet')
    })
    await using t = await harness(op, { resources: [Kex] })
    const begun = t.clock.now().toISOString()
    await t.cluster.create(Kex, sample)
    await t.advance('1m')
    expect(seen).toEqual([
      [0, begun, 0, 'p'],
      [1, begun, 10, 'p'],
      [2, begun, 20, 'p'],
    ])
  })

  it('shows the state of the cycle, and `old` and `new` without what is no content', async () => {
    const seen: object[] = []
    const op = operator('contexts')
    op.on.create(Kex, () => {})
    op.on.update(Kex, ({ old, current, new: same }) => void seen.push({ old, current, same: same === current }))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    await t.cluster.patch(Kex, 'a', { spec: { n: 2 } })
    await t.settled()
    const metadata = { labels: { app: 'x' } }
    expect(seen).toEqual([{ old: { metadata, spec: { n: 1 } }, current: { metadata, spec: { n: 2 } }, same: true }])
  })
})

describe('a memo', () => {
  it('is one for each object, kept from handler to handler, and gone with the object', async () => {
    const seen: unknown[] = []
    const op = operator('memos', { memo: () => ({ count: 0 }) })
    op.on.create(Kex, ({ memo, name }) => void seen.push([name, ++memo.count]))
    op.on.update(Kex, ({ memo, name }) => void seen.push([name, ++memo.count]))
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.cluster.create(Kex, { ...sample, metadata: { name: 'b', namespace: 'default' } })
    await t.settled()
    await t.cluster.patch(Kex, 'a', { spec: { n: 2 } })
    await t.settled()
    await t.cluster.delete(Kex, 'a')
    await t.settled()
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(seen).toEqual([
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['a', 1],
    ])
  })

  it('is no place for what all share: `shared` is, and is disposed of at the end', async () => {
    const pool = {
      questions: 0,
      closed: false,
      [Symbol.dispose]() {
        this.closed = true
      },
    }
    const op = operator('memos', { shared: () => pool })
    op.on.create(Kex, ({ shared }) => void shared.questions++)
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.cluster.create(Kex, { ...sample, metadata: { name: 'b', namespace: 'default' } })
    await t.settled()
    expect(pool).toMatchObject({ questions: 2, closed: false })
    await t.stop()
    expect(pool.closed).toBe(true)
  })
})
