import { handlers, index, operator, typed } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { harness } from '../../src/harness.ts'
import { Kex } from '../kex.ts'

const sample = { metadata: { name: 'a', namespace: 'default' }, spec: { field: 'x' } }

describe('a set of handlers', () => {
  it('is known by its name in ids, progress and results', async () => {
    const set = handlers('backups')
    expect(set.on.create(Kex, { id: 'first' }, () => 'done')).toEqual({ id: 'backups/first' })
    const op = operator('owner').use(set)
    op.on.create(Kex, { id: 'first' }, () => 'mine')
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    t.expect.called('first', 1)
    t.expect.called('backups/first', 1)
    await t.expect.object(Kex, 'default/a', { status: { first: 'mine', 'backups/first': 'done' } })
  })

  it('has a memory of each object that nobody else sees', async () => {
    const seen: unknown[] = []
    const set = handlers('counter', { memo: () => ({ taken: 0 }) })
    set.on.event(Kex, { when: ({ memo }) => memo.taken < 2 }, ({ memo }) => {
      memo.taken++
    })
    const op = operator('owner', { memo: () => ({ mine: true }) }).use(set)
    op.on.event(Kex, { id: 'look' }, ({ memo }) => {
      seen.push({ ...memo })
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    for (const field of ['y', 'z']) await t.cluster.patch(Kex, 'default/a', { spec: { field } })
    await t.settled()
    t.expect.called('counter/event', 2)
    expect(seen).toEqual([{ mine: true }, { mine: true }, { mine: true }])
  })

  it('has its own indices by its own names; a declaration that is listed twice is one index', async () => {
    let calls = 0
    const byField = index('kopfexamples', ({ spec, name }) => {
      calls++
      return { [spec.field]: name }
    })
    const seen: unknown[] = []
    const set = handlers('reader', { indices: { fields: byField } })
    set.on.create(Kex, (context) => {
      seen.push([...context.fields.get('x')], 'mine' in context)
    })
    const op = operator('owner', { indices: { mine: byField } }).use(set)
    op.on.create(Kex, { id: 'own' }, (context) => {
      seen.push([...context.mine.get('x')], 'fields' in context)
    })
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(seen).toEqual([['a'], false, ['a'], false])
    expect(Object.keys(t.indices)).toEqual(['mine'])
    expect(calls).toBe(2) // One for the creation, one for the operator's own write.
  })

  it('says what it needs, and gets it', async () => {
    const seen: string[] = []
    const set = handlers('needy', { shared: typed<{ readonly greeting: string }>() })
    set.on.create(Kex, ({ shared }) => {
      seen.push(shared.greeting)
    })
    operator('poor', { shared: () => ({ other: 1 }) }).use(
      // @ts-expect-error: the operator does not share what the set needs
      set,
    )
    await using t = await harness(operator('rich', { shared: () => ({ greeting: 'hi', more: 1 }) }).use(set), {
      resources: [Kex],
    })
    await t.cluster.create(Kex, sample)
    await t.settled()
    expect(seen).toEqual(['hi'])
  })

  it('may go on declaring until the start, and not after it', async () => {
    const set = handlers('late')
    const op = operator('owner').use(set)
    set.on.create(Kex, { id: 'in-time' }, () => {})
    await using t = await harness(op, { resources: [Kex] })
    await t.cluster.create(Kex, sample)
    await t.settled()
    t.expect.called('late/in-time', 1)
    expect(() => set.on.create(Kex, { id: 'x' }, () => {})).toThrow(
      'Handler "late/x" of kopfexamples.kopf.dev is declared after the operator of set "late" was started',
    )
    expect(() => op.use(handlers('other'))).toThrow('Set "other" is declared after operator "owner" was started')
  })

  it('is refused under the name of another, and where it is none', () => {
    const set = handlers('twin')
    const op = operator('owner').use(set, set)
    expect(() => op.use(handlers('twin'))).toThrow('Two sets of handlers have the name "twin"')
    expect(() => handlers('a/b')).toThrow('cannot be the name of a set')
    expect(() => op.use({ name: 'x' } as never)).toThrow('not a set of handlers')
  })
})
