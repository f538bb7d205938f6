/** Bugs of other frameworks, as their users have reported them. */
import { delay, expire } from '@binnacle/testing'
import { operator, PRESENT, TemporaryError } from 'binnacle'
import { imitation, listAndWatch, specOf } from './imitation.ts'
import { App, binnacle, dataOf, ensure, published } from './subject.ts'

published({
  name: 'KubeOps#784: an instance that does not lead any more goes on, because its queue does not know',
  async story(world, start, calls) {
    const subject = await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
    await world.advance('5s')
    ensure(calls.length === 1, `It should have been called once by now, and was ${calls.length} times`)
    // In the middle of the second call.
    await world.advance('28s')
    const paused = subject.pause()
    await world.advance('10s')
    await paused
    const before = calls.length
    await world.advance('10m')
    ensure(calls.length === before, `It was called ${calls.length - before} times after it had lost the lead`)
  },
  // Stops its watch when it loses the lead; what a reconciliation puts back into the queue stays there.
  flawed: imitation(async ({ clock, signal, calls, leads, ...life }) => {
    const reconcile = async (): Promise<void> => {
      calls.push('reconcile')
      await clock.sleep(5, signal)
      void clock.sleep(25, signal).then(reconcile, () => {})
    }
    for await (const { type } of listAndWatch({ clock, signal, calls, leads, ...life }, App)) {
      if (leads() && type === 'ADDED') void reconcile().catch(() => {})
    }
  }),
  message: 'times after it had lost the lead',
  binnacle: binnacle((calls, { clock }) => {
    const op = operator('requeueing')
    op.on.create(App, { id: 'again' }, async ({ signal }) => {
      calls.push('again')
      await clock.sleep(5, signal)
      throw new TemporaryError('once more', { delay: 25 })
    })
    return op
  }),
})

published({
  name: 'KubeOps#554: what was to be called again later is forgotten, because it has written its status',
  async story(world, start, calls) {
    await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
    await world.advance('10m')
    ensure(calls.length >= 9, `It asked to be called every minute, and in 10 minutes was called ${calls.length} times`)
  },
  // Every event takes the object out of the queue; one that changes no spec is then left aside.
  flawed: imitation(async (life) => {
    const { client, clock, signal, calls } = life
    const seen = new Map<string, number | undefined>()
    let queued = new AbortController()
    const reconcile = async (): Promise<void> => {
      calls.push('reconcile')
      const changed = client.patch(App, 'a', { status: { n: calls.length } }, { subresource: 'status' })
      queued = new AbortController()
      void clock.sleep(60, AbortSignal.any([queued.signal, signal])).then(reconcile, () => {})
      await changed
    }
    for await (const { object } of listAndWatch(life, App)) {
      queued.abort()
      const { uid, generation } = object.metadata
      if (seen.get(uid) === generation) continue
      seen.set(uid, generation)
      await reconcile()
    }
  }),
  message: 'It asked to be called every minute, and in 10 minutes was called 1 times',
  binnacle: binnacle((calls) => {
    const op = operator('requeueing')
    op.on.create(App, { id: 'again' }, ({ patch, retry }) => {
      calls.push('again')
      patch.status.n = retry
      throw new TemporaryError('once more', { delay: 60 })
    })
    return op
  }),
})

published({
  name: 'KubeOps#763: a watch expires while there is nothing to watch, and is never opened again',
  async story(world, start, calls) {
    const subject = await start()
    world.faults.once({ event: 'any', resource: App, user: subject.program }, expire())
    await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
    await world.advance('10m')
    await world.client.create(App, { metadata: { name: 'b' }, spec: {} })
    await world.advance('10m')
    ensure(calls.includes('b'), `Nobody noticed "b"; noticed were: ${calls.join(', ') || 'none'}`)
  },
  // Takes an error of the watch for word that there are no objects.
  flawed: imitation(async ({ client, signal, calls }) => {
    const { metadata } = await client.list(App, { signal })
    const { resourceVersion } = metadata as { readonly resourceVersion: never }
    for await (const event of client.watch(App, { signal, resourceVersion })) {
      if (event.type === 'ERROR') return
      if (event.type === 'ADDED') calls.push(event.object.metadata.name)
    }
  }),
  message: 'Nobody noticed "b"; noticed were: none',
  binnacle: binnacle((calls) => {
    const op = operator('watching')
    op.on.create(App, { id: 'made' }, ({ name }) => void calls.push(name))
    return op
  }),
})

published({
  name: 'kube-rs, owned objects without a store (see kube-rs/kube#1590): a child vanishes while its watch has expired, and its owner is never told',
  async story(world, start) {
    const subject = await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: {} })
    await world.advance('10s')
    ensure((await dataOf(world, 'a-child')) !== undefined, 'There was no child at all')
    world.faults.once({ event: 'DELETED', resource: 'configmaps', user: subject.program }, expire())
    await world.client.delete('configmaps', 'a-child')
    await world.advance('10m')
    ensure((await dataOf(world, 'a-child')) !== undefined, 'The child that was deleted is not made anew')
  },
  // The watch of children remembers none of them: after a new list it tells of those that are there.
  flawed: imitation(async (life) => {
    const { client } = life
    const reconcile = (owner: string) =>
      client.apply(
        'configmaps',
        { metadata: { name: `${owner}-child`, labels: { of: owner } }, data: { of: owner } },
        { fieldManager: 'm' },
      )
    const children = async () => {
      for await (const { type, object } of listAndWatch(life, 'configmaps')) {
        const owner = object.metadata.labels?.['of']
        if (owner !== undefined && type === 'DELETED') await reconcile(owner)
      }
    }
    const owners = async () => {
      for await (const { type, object } of listAndWatch(life, App))
        if (type === 'ADDED') await reconcile(object.metadata.name)
    }
    await Promise.all([children(), owners()])
  }),
  message: 'The child that was deleted is not made anew',
  binnacle: binnacle(() => {
    const op = operator('owner')
    const child = (owner: string) => ({
      metadata: { name: `${owner}-child`, labels: { of: owner } },
      data: { of: owner },
    })
    op.on.create(App, { id: 'make' }, async ({ name, client }) => void (await client.apply('configmaps', child(name))))
    op.on.delete('configmaps', { id: 'mend', optional: true, labels: { of: PRESENT } }, async ({ labels, client }) => {
      await client.apply('configmaps', child(String(labels['of'])))
    })
    op.on.create('configmaps', { id: 'seen', labels: { of: PRESENT } }, () => {})
    return op
  }),
})

published({
  name: 'java-operator-sdk#3484: a write that changes nothing, and the change of somebody else is taken for our own',
  async story(world, start, calls) {
    const subject = await start()
    await world.client.create(App, { metadata: { name: 'a' }, spec: { n: 1 } })
    await world.advance('10s')
    world.faults.once({ verb: 'patch', resource: App, user: subject.program }, delay('5s'))
    await world.client.patch(App, 'a', { spec: { n: 2 } })
    await world.advance('2s')
    await world.client.patch(App, 'a', { spec: { n: 3 } })
    await world.advance('10m')
    ensure(calls.includes('3'), `Somebody changed n to 3, and handled were: ${calls.join(', ')}`)
  },
  // Events that come during an own write, and have the version that it was answered with, are left out as its echo.
  flawed: imitation(async (life) => {
    const { client, calls } = life
    const own = new Set<string>()
    let work = Promise.resolve()
    for await (const { type, object } of listAndWatch(life, App)) {
      const handle = async () => {
        if (type === 'DELETED' || own.has(object.metadata.resourceVersion)) return
        calls.push(String(specOf(object)['n']))
        const written = await client.patch(App, 'a', { status: { phase: 'ok' } }, { subresource: 'status' })
        own.add(written.metadata.resourceVersion)
      }
      work = work.then(handle).catch(() => {})
    }
  }),
  message: 'Somebody changed n to 3, and handled were: 1, 2',
  binnacle: binnacle((calls) => {
    const op = operator('writer')
    const handle = ({
      spec,
      patch,
    }: {
      readonly spec: { readonly n: number }
      readonly patch: { status: { phase?: string } }
    }) => {
      calls.push(String(spec.n))
      patch.status.phase = 'ok'
    }
    op.on.create(App, { id: 'made' }, (context) => handle(context))
    op.on.update(App, { id: 'changed' }, (context) => handle(context))
    return op
  }),
})
