import { harness } from '@binnacle/testing'
import { handlers, index, operator } from 'binnacle'
import { expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/** Indices, daemons and timers that a set of handlers declares. */

it('a set brings its own indices, memory, daemons and timers, known by its name', async () => {
  const watch = handlers('watch', {
    indices: { names: index(Kex, ({ name }) => name) },
    memo: () => ({ rounds: 0 }),
  })
  const daemon = watch.daemon(Kex, async function follow({ stopped, memo, names }) {
    for await (const _ of stopped.every('10s')) memo.rounds++
    return { rounds: memo.rounds, names: names.get(null).size }
  })
  const timer = watch.timer(
    Kex,
    // Between the daemon's rounds: of two that fall due at one moment, either may be first.
    { interval: '10s', initialDelay: '1s', when: ({ names }) => names.get(null).size > 0 },
    function tick({ memo, patch }) {
      patch.status.rounds = memo.rounds
    },
  )
  const op = operator('sets', { memo: () => ({ other: true }) })
  const memos: object[] = []
  op.timer(Kex, {}, function own({ memo }) {
    memos.push({ ...memo })
  })
  op.use(watch)
  expect([daemon.id, timer.id]).toEqual(['watch/follow', 'watch/tick'])
  expect(op.describe().handlers.map(({ id }) => id)).toEqual(['own', 'watch/follow', 'watch/tick'])

  await using t = await harness(op, { resources: [Kex] })
  await t.cluster.create(Kex, { metadata: { namespace: 'default', name: 'a' }, spec: {} })
  await t.advance(25)
  t.expect.called('watch/follow', 1)
  t.expect.called('watch/tick', 3)
  expect(memos).toEqual([{ other: true }])
  await t.expect.object(Kex, 'default/a', { status: { rounds: 3 } })
  await t.cluster.delete(Kex, 'default/a')
  await t.settled()
  expect(t.runs.of('watch/follow').at(-1)).toMatchObject({ outcome: 'success', result: { rounds: 3 } })
  expect(t.health().background).toEqual({ running: 0, stopping: 0, abandoned: 0 })
  await t.expect.object(Kex, 'default/a', undefined)
})
