/** Bugs of Kopf, as its users have reported them. */
import { delay, endWatch, respond } from '@binnacle/testing'
import { operator, TemporaryError } from 'binnacle'
import { imitation, listAndWatch, specOf } from './imitation.ts'
import { App, binnacle, ensure, Node, published } from './subject.ts'

published({
  name: 'kopf#1178: a change during the retries of one handler never reaches those that had finished',
  async story(world, start, calls) {
    await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: { n: 1 } })
    await world.advance('5s')
    await world.client.patch(App, 'a', { spec: { n: 2 } })
    await world.advance('5s')
    await world.client.patch(App, 'a', { spec: { n: 3 } })
    await world.advance('10m')
    ensure(calls.includes('slow 3'), `The slow handler never saw 3; seen: ${calls.join(', ')}`)
    ensure(calls.includes('quick 3'), `The quick handler never saw 3; seen: ${calls.join(', ')}`)
  },
  // Progress says who has finished with the update, not with which state; the state at the end is what counts as handled.
  flawed: imitation(async (life) => {
    const { client, clock, signal, calls } = life
    const finished = new Set<string>()
    let handled: number | undefined
    let attempts = 0
    const cycle = async () => {
      const n = Number(specOf(await client.get(App, 'a'))['n'])
      if (handled === undefined || handled === n) {
        handled = n
        return
      }
      if (!finished.has('quick')) calls.push(`quick ${n}`)
      finished.add('quick')
      if (attempts++ < 2) return void clock.sleep(10, signal).then(cycle, () => {})
      calls.push(`slow ${n}`)
      handled = n
      finished.clear()
    }
    for await (const { type } of listAndWatch(life, App)) if (type !== 'DELETED' && attempts === 0) await cycle()
  }),
  message: 'The quick handler never saw 3; seen: quick 2, slow 3',
  binnacle: binnacle((calls) => {
    const op = operator('changes')
    op.on.create(App, { id: 'made' }, () => {})
    op.on.update(App, { id: 'quick' }, ({ spec }) => void calls.push(`quick ${spec.n}`))
    op.on.update(App, { id: 'slow' }, ({ spec, retry }) => {
      if (retry < 2) throw new TemporaryError('not yet', { delay: 10 })
      calls.push(`slow ${spec.n}`)
    })
    return op
  }),
})

published({
  name: 'kopf#1145: the watch of one kind dies of a refusal, and the operator lives on as if nothing had happened',
  async story(world, start, calls) {
    const subject = await start()
    const requests = { verb: ['list', 'watch'] as const, resource: App, user: subject.program }
    {
      using _ = world.faults.always(requests, respond(403))
      world.faults.once({ event: 'any', resource: App, user: subject.program }, endWatch())
      await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
      await world.client.create(Node, { metadata: { name: 'n' }, spec: {} })
      await world.advance('2m')
    }
    await world.advance('10m')
    ensure(calls.includes('Node n'), 'The other kind should not have suffered')
    ensure(calls.includes('App a'), 'The permission came back, and nobody watches the kind any more')
  },
  // A task for each kind: one that fails is logged, and gone.
  flawed: imitation(async (life) => {
    const watching = async (kind: typeof App | typeof Node) => {
      for await (const { type, object } of listAndWatch(life, kind)) {
        if (type === 'ADDED' || type === 'LISTED')
          life.calls.push(`${object.kind ?? kind.kind} ${object.metadata.name}`)
      }
    }
    await Promise.all([watching(App).catch(() => {}), watching(Node).catch(() => {})])
  }),
  message: 'The permission came back, and nobody watches the kind any more',
  binnacle: binnacle((calls) => {
    const op = operator('watching')
    for (const kind of [App, Node])
      op.on.create(kind, { id: 'made' }, ({ name }) => void calls.push(`${kind.kind} ${name}`))
    return op
  }),
})

published({
  name: 'kopf#833: a timer holds its object, and where the operator is gone the object cannot go',
  async story(world, start, calls) {
    const subject = await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
    await world.advance('1m')
    ensure(calls.length > 1, 'The timer did not run')
    await subject.stop()
    await world.client.delete(App, 'a')
    await world.advance('10m')
    const { metadata } = (await world.client.find(App, 'a')) ?? {}
    ensure(metadata === undefined, `The object cannot be deleted: it is held by ${metadata?.finalizers?.join(', ')}`)
  },
  // Each timer puts a finalizer on its object, and there is no way to do without.
  flawed: imitation(async (life) => {
    const { client, clock, signal, calls } = life
    const ticking = async () => {
      for (;;) {
        calls.push('tick')
        await clock.sleep(10, signal)
      }
    }
    for await (const { type, object } of listAndWatch(life, App)) {
      if (type !== 'ADDED') continue
      await client.patch(App, object.metadata.name, { metadata: { finalizers: ['imitation.example.com/marker'] } })
      void ticking().catch(() => {})
    }
  }),
  message: 'The object cannot be deleted: it is held by imitation.example.com/marker',
  binnacle: binnacle((calls) => {
    const op = operator('ticking')
    op.timer(App, { id: 'tick', interval: 10, finalizer: false }, () => void calls.push('tick'))
    return op
  }),
})

published({
  name: 'kopf#1106: the list of finalizers is written whole, and what another controller has put there is lost',
  async story(world, start) {
    const subject = await start()
    world.faults.once({ verb: 'patch', resource: App, user: subject.program }, delay('5s'))
    await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
    await world.advance('1s')
    await world.client.patch(App, 'a', { metadata: { finalizers: ['other.example.com/hold'] } })
    await world.advance('10m')
    const { finalizers = [] } = (await world.client.get(App, 'a')).metadata
    ensure(finalizers.length > 1 || finalizers[0] === 'other.example.com/hold', `Left are: ${finalizers.join(', ')}`)
    ensure(finalizers.length > 1, `The operator holds nothing: ${finalizers.join(', ')}`)
  },
  // A merge patch replaces lists: what is sent is the list that was read.
  flawed: imitation(async (life) => {
    for await (const { type, object } of listAndWatch(life, App)) {
      if (type === 'DELETED' || object.metadata.finalizers?.includes('imitation.example.com/marker')) continue
      const finalizers = [...(object.metadata.finalizers ?? []), 'imitation.example.com/marker']
      await life.client.patch(App, object.metadata.name, { metadata: { finalizers } })
      return
    }
  }),
  message: 'Left are: imitation.example.com/marker',
  binnacle: binnacle(() => {
    const op = operator('holding')
    op.on.delete(App, { id: 'end' }, () => {})
    return op
  }),
})
