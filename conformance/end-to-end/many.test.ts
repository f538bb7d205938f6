import { operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Widget } from './kinds.ts'
import { type Scene, stage } from './world.ts'

const { scene } = stage(Widget)

/** As many as the issue is about where time is real; fewer where the clock is moved by hand, which costs a look at each. */
const MANY = process.env['BINNACLE_WORLD'] === undefined || process.env['BINNACLE_WORLD'] === 'virtual' ? 100 : 2000
const NAMES = Array.from({ length: MANY }, (_, at) => `w${at}`)

/** So many at a time: a request's deadline also counts while it waits for a connection. */
async function forEach(act: (name: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < MANY; from += 100) await Promise.all(NAMES.slice(from, from + 100).map(act))
}

/** Waits without a limit of its own: the test has one. */
async function until(s: Scene, condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await s.pass(1)
}

describe('very many objects at once', () => {
  it('are all created, updated and deleted, each handled once for each change', async () => {
    await using s = await scene()
    const calls = new Map<string, number>()
    const note = (what: string, name: string) =>
      void calls.set(`${what} ${name}`, (calls.get(`${what} ${name}`) ?? 0) + 1)
    const op = operator('crowd')
    op.on.create(Widget, ({ name, spec, patch }) => {
      note('create', name)
      patch.status.seen = spec.n
    })
    op.on.update(Widget, ({ name, spec, patch }) => {
      note('update', name)
      patch.status.seen = spec.n
    })
    op.on.delete(Widget, ({ name }) => note('delete', name))
    const subject = await s.start(op)

    await forEach((name) => s.client.create(Widget, { metadata: { name }, spec: { n: 1 } }))
    const seen = async (n: number) =>
      (await s.client.list(Widget)).items.filter(({ status }) => status?.seen === n).length === MANY
    await until(s, () => calls.size === MANY)
    await until(s, () => seen(1))

    await forEach((name) => s.client.patch(Widget, name, { spec: { n: 2 } }))
    await until(s, () => calls.size === 2 * MANY)
    await until(s, () => seen(2))

    await forEach((name) => s.client.delete(Widget, name))
    await until(s, async () => (await s.client.list(Widget)).items.length === 0)
    await s.settled()

    expect(calls.size).toBe(3 * MANY)
    expect([...calls].filter(([, times]) => times !== 1)).toEqual([])
    // The finalizer, the creation (status and object), the update (both), and the release.
    expect(subject.ledger.writes.length).toBeLessThanOrEqual(6 * MANY)
  }, 600_000)
})
