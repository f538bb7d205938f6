import { describe, expect, it } from 'vitest'
import { FakeServer, type Thing } from '../../test/fake-server.ts'
import { filled, ledger, informed as make } from '../../test/informed.ts'
import { settle } from '../../test/surroundings.ts'
import type { Change } from './change.ts'

describe('a handler', () => {
  it('SI19: that comes late is first told of what there is, and has synced when it has handled that', async () => {
    const { informer, server, start, end } = make(filled())
    await start()
    const { lines, handler } = ledger()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const onAdd = async (thing: Thing, initial: boolean) => {
      await held
      handler.onAdd?.(thing, initial)
    }
    const late = informer.addEventHandler({ ...handler, onAdd })
    server.put('b', 2)
    await settle()
    expect([late.hasSynced(), lines]).toEqual([false, []])
    release()
    await late.whenSynced()
    await settle()
    expect(lines).toEqual(['+a=1 (initial)', '+b=2'])
    await end()
  })

  it('SI10 to SI13, SI18, SI22: can be there twice, is removed by its registration, twice or elsewhere without harm', async () => {
    const { informer, server, start, end } = make(filled())
    const other = make(new FakeServer())
    const { lines, handler } = ledger()
    const [first, second] = [informer.addEventHandler(handler), informer.addEventHandler(handler)]
    await start()
    other.informer.removeEventHandler(first)
    server.put('a', 2)
    await settle()
    expect(lines.splice(0)).toEqual(['+a=1 (initial)', '+a=1 (initial)', 'a: 1→2', 'a: 1→2'])
    informer.removeEventHandler(first)
    informer.removeEventHandler(first)
    server.put('a', 3)
    await settle()
    expect(lines.splice(0)).toEqual(['a: 2→3'])
    await second[Symbol.asyncDispose]()
    server.put('a', 4)
    await settle()
    expect(lines).toEqual([])
    await end()
  })

  it('SI23: is not called any more once disposing of it has ended', async () => {
    const { informer, server, start, end } = make(filled())
    let [running, release] = [false, () => {}]
    const registration = informer.addEventHandler({
      async onAdd() {
        running = true
        await new Promise<void>((resolve) => {
          release = resolve
        })
        running = false
      },
    })
    await start()
    server.put('b', 1)
    await settle()
    const disposed = registration[Symbol.asyncDispose]()
    expect(running).toBe(true)
    release()
    await disposed
    expect(running).toBe(false)
    await settle()
    expect(running).toBe(false)
    await end()
  })

  it('SI21: that fails is logged by its name, and told of the next change', async () => {
    const { informer, server, start, end, lines } = make(filled())
    const seen: string[] = []
    const failing = informer.addEventHandler(
      {
        onAdd({ metadata }) {
          seen.push(metadata.name)
          if (metadata.name === 'a') throw new Error('synchronous')
          return Promise.reject(new Error('asynchronous'))
        },
      },
      { name: 'fragile' },
    )
    await start()
    server.put('b', 1)
    server.put('c', 1)
    await settle()
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(lines[0]).toBe('error: Handler "fragile" failed at add of default/a: synchronous')
    expect(lines[1]).toMatch(/default\/b: asynchronous/)
    expect(failing.hasSynced()).toBe(true)
    await end()
  })

  it('that is slow misses states in between, never the newest, and holds up nobody', async () => {
    const { informer, server, start, end } = make(filled())
    const { lines, handler } = ledger()
    const fast = ledger()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    informer.addEventHandler({ ...handler, onAdd: () => held }, { buffer: 3 })
    informer.addEventHandler(fast.handler)
    await start()
    for (let size = 2; size <= 100; size++) server.put('a', size)
    await settle()
    await settle()
    await settle()
    expect(fast.lines).toHaveLength(100)
    release()
    await settle()
    expect(lines).toEqual(['a: 1→2', 'a: 2→100'])
    await end()
  })
})

describe('a subscriber', () => {
  it('is told within the step that changed the cache and its indices', async () => {
    const { informer, server, start, end } = make(filled())
    const seen: unknown[] = []
    const indexer = informer.getIndexer()
    const before = informer.addEventHandler({ onUpdate: () => void seen.push('handler') })
    informer.subscribe((change) => {
      const size = change.type === 'delete' ? undefined : String(change.object.spec.size)
      seen.push([change.type, change.key, indexer.has(change.key), size && indexer.indexKeys('size', size)])
    })
    await start()
    server.put('a', 2)
    server.delete('a')
    await settle()
    expect(seen).toEqual([
      ['add', 'default/a', true, ['default/a']],
      ['update', 'default/a', true, ['default/a']],
      'handler',
      ['delete', 'default/a', false, undefined],
    ])
    await before[Symbol.asyncDispose]()
    await end()
  })

  it('that comes late is told of everything at once, and hears nothing twice, even if it comes while others are told', async () => {
    const server = filled()
    server.put('b', 1)
    const { informer, start, end } = make(server)
    const seen: string[] = []
    let nested: Disposable | undefined
    informer.subscribe(() => {
      nested ??= informer.subscribe((change) => seen.push(`${change.type} ${change.key}`))
    })
    await start()
    server.put('c', 1)
    await settle()
    expect(seen).toEqual(['add default/a', 'add default/b', 'add default/c'])
    nested?.[Symbol.dispose]()
    server.put('d', 1)
    await settle()
    expect(seen).toHaveLength(3)
    await end()
  })

  it('that throws is logged and keeps neither the cache nor the others from hearing', async () => {
    const { informer, server, start, end, lines } = make(filled())
    const seen: string[] = []
    informer.subscribe(() => {
      throw new Error('no')
    })
    informer.subscribe(({ key }) => seen.push(key))
    await start()
    server.put('b', 1)
    await settle()
    expect(seen).toEqual(['default/a', 'default/b'])
    expect(lines).toContain('error: A subscriber failed at add of default/a: no')
    await end()
  })
})

describe('resyncs', () => {
  it('SI2, SI4: remind each handler at its own period, never more often than the informer looks', async () => {
    const { informer, clock, server, start, end } = make(filled(), { resync: '12h' })
    const [none, two, three] = [ledger(), ledger(), ledger()]
    informer.addEventHandler(none.handler, { resync: 0 })
    informer.addEventHandler(two.handler, { resync: '2s' })
    informer.addEventHandler(three.handler, { resync: '3s' })
    informer.addEventHandler({}, { resync: '1s' })
    const direct: Change<Thing>[] = []
    await start()
    informer.subscribe((change) => direct.push(change))
    await clock.advance('2s')
    expect([none, two, three].map(({ lines }) => lines.length)).toEqual([1, 2, 1])
    await clock.advance('1s')
    expect([none, two, three].map(({ lines }) => lines.length)).toEqual([1, 2, 2])
    expect(three.lines[1]).toBe('a: 1→1')
    expect(direct).toHaveLength(1)
    expect(server.requests).toEqual(['list 0', 'watch 11'])
    await end()
  })

  it('SI6: a new list tells who is due of everything, and all others of what has changed', async () => {
    const { informer, clock, server, start, end } = make(filled(), { resync: '1s' })
    const [none, due] = [ledger(), ledger()]
    informer.addEventHandler(none.handler, { resync: 0 })
    informer.addEventHandler(due.handler)
    await start()
    await clock.advance('1s')
    for (const { lines } of [none, due]) lines.length = 0
    server.cutAll()
    server.put('b', 1)
    server.forgetHistory()
    await settle()
    expect(none.lines).toEqual(['+b=1'])
    expect(due.lines).toEqual(['a: 1→1', '+b=1'])
    await end()
  })

  it('are done for nobody by an informer that does none, with a warning', async () => {
    const { informer, clock, start, end, lines } = make(filled())
    const eager = ledger()
    informer.addEventHandler(eager.handler, { resync: '1s' })
    await start()
    await clock.advance('1m')
    expect(eager.lines).toHaveLength(1)
    expect(lines.join()).toMatch(/warn: informer does no resyncs/)
    await end()
  })
})
