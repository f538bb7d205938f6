import { expect, it } from 'vitest'
import { SharedIndexInformer } from '../src/index.ts'
import { FakeServer } from './fake-server.ts'
import { settle, virtualSurroundings } from './surroundings.ts'

it('smoke', async () => {
  for (const watchList of [true, false]) {
    const server = new FakeServer({ watchList })
    server.put('a', 1)
    const s = virtualSurroundings()
    const informer = new SharedIndexInformer(server, { ...s, indexers: { size: (t) => [String(t.spec.size)] } })
    const seen: string[] = []
    const direct: string[] = []
    const reg = informer.addEventHandler({
      onAdd: (o, i) => void seen.push(`add ${o.metadata.name} ${i}`),
      onUpdate: (a, b) => void seen.push(`upd ${a.spec.size} ${b.spec.size}`),
      onDelete: (d) => void seen.push(`del ${d.key} ${d.finalStateUnknown}`),
    })
    informer.subscribe((c) => direct.push(`${c.type} ${c.key}`))
    const stop = new AbortController()
    const run = informer.run(stop.signal)
    await settle()
    expect(informer.hasSynced()).toBe(true)
    expect(reg.hasSynced()).toBe(true)
    server.put('a', 2)
    server.put('b', 3)
    await settle()
    server.cutAll()
    server.delete('a')
    server.forgetHistory()
    await settle()
    expect(informer.getIndexer().byIndex('size', '3').length).toBe(1)
    expect(seen).toEqual(['add a true', 'upd 1 2', 'add b false', 'del default/a true'])
    expect(direct).toEqual(['add default/a', 'update default/a', 'add default/b', 'delete default/a'])
    stop.abort()
    await run
    expect(server.openWatches).toBe(0)
    expect(s.clock.sleeping).toBe(0)
  }
})
