import { EVERYTHING, index, operator, selector } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Globe, Plain, Widget } from './kinds.ts'
import { isHandledBy, type Scene, stage } from './world.ts'

const { scene } = stage(Widget, Plain, Globe)

const named = (name: string, labels: { readonly [label: string]: string } = {}) => ({
  metadata: { name, labels },
  spec: {},
})

/** Makes a namespace, whose end is that of the story. */
const namespace = async (s: Scene, name: string) => {
  await s.world.client.create('namespaces', { metadata: { name }, spec: {} })
  return s.world.client.with({ namespace: name })
}

/** Nobody on the control plane of the tests empties namespaces, so the test does what it would do: objects first, then the namespace. */
const dissolve = async (s: Scene, name: string) => {
  await s.world.client.delete('namespaces', name)
  const inside = s.world.client.with({ namespace: name })
  for (const { metadata } of (await inside.list(Widget)).items) await inside.delete(Widget, metadata.name)
  await s.when(async () => (await inside.list(Widget)).items.length === 0)
  const left = await s.world.client.find('namespaces', name)
  if (!left) return
  const path = `/api/v1/namespaces/${name}/finalize`
  await s.world.client.request('PUT', path, { body: { ...left, spec: { finalizers: [] } } }).catch(() => {})
  await s.when(async () => (await s.world.client.find('namespaces', name)) === undefined)
}

describe('namespaces by pattern', () => {
  it('are served as they come, and forgotten as they go', async () => {
    await using s = await scene()
    const told: string[] = []
    const op = operator('roaming', { indices: { where: index(Widget, ({ namespace: its }) => ({ [its]: true })) } })
    op.on.create(Widget, { id: 'made' }, ({ namespace: its }) => void told.push(`made in ${its}`))
    op.daemon(Widget, { id: 'company' }, async ({ namespace: its, stopped }) => {
      await stopped.wait()
      told.push(`left ${its}: ${stopped.reason?.why}`)
    })
    const [early, late, not] = ['a', 'b', 'not'].map((part) => `${s.namespace}-${part}`) as [string, string, string]
    const inEarly = await namespace(s, early)
    const subject = await s.start(op, { namespaces: [`${s.namespace}-*`, `!${not}`] })
    const watched = () => subject.running.health().streams.map(({ namespace: its }) => its)
    expect(watched()).toEqual([early])
    await inEarly.create(Widget, named('w'))
    const [inLate, inNot] = [await namespace(s, late), await namespace(s, not)]
    await inLate.create(Widget, named('w'))
    await inNot.create(Widget, named('w'))
    await s.when(() => told.length === 2 && subject.running.health().background.running === 2)
    expect([...told].sort()).toEqual([`made in ${early}`, `made in ${late}`])
    expect(watched().sort()).toEqual([early, late])
    await dissolve(s, late)
    await s.when(() => watched().length === 1)
    const { where } = subject.running.indices as typeof op.indices
    expect([...where.keys()]).toEqual([early])
    expect(told).toContain(`left ${late}: resource-deleted`)
    expect(subject.running.health().background.running).toBe(1)
    for (const name of [early, not]) await dissolve(s, name)
    await s.when(() => watched().length === 0)
  })

  it('leave kinds of the whole cluster alone, which are watched once', async () => {
    await using s = await scene()
    const op = operator('roaming')
    op.on.create(Globe, { id: 'made', labels: { scene: s.namespace } }, () => {})
    const subject = await s.start(op, { namespaces: `${s.namespace}-*` })
    const name = s.unique('globe')
    await s.client.create(Globe, named(name, { scene: s.namespace }))
    await s.untilCluster(Globe, name, isHandledBy('roaming'))
    expect(subject.running.health().streams).toHaveLength(1)
    await s.client.delete(Globe, name)
  })
})

describe('a choice of kinds', () => {
  it('by a function takes those that it wants', async () => {
    await using s = await scene()
    const op = operator('chooser')
    const mine = selector(({ group, scope }) => group === Widget.group && scope === 'Namespaced')
    op.on.create(mine, { id: 'made' }, ({ resource: { kind } }) => kind)
    const subject = await s.start(op)
    expect(op.describe().handlers).toEqual([
      { id: 'made', kind: 'create', resource: 'chosen by a function', finalizer: false },
    ])
    for (const kind of [Widget, Plain]) {
      await s.client.create(kind, named('a'))
      const { status } = await s.until(kind, 'a', isHandledBy('chooser'))
      expect(status).toEqual({ made: kind.kind })
    }
    expect(
      subject.running
        .health()
        .streams.map(({ resource }) => resource)
        .sort(),
    ).toEqual(['plains.e2e.example.com', 'widgets.e2e.example.com'])
  })

  it('by what they are called takes one, whichever name it is', async () => {
    await using s = await scene()
    const seen: string[] = []
    const op = operator('caller')
    const see = (id: string) => ({ id, labels: { scene: s.namespace } })
    op.on.event(selector({ shortcut: 'cm' }), see('short'), () => void seen.push('shortcut'))
    op.on.event(selector({ group: '', kind: 'ConfigMap' }), see('kind'), () => void seen.push('kind'))
    op.on.event('ConfigMap', see('name'), () => void seen.push('name'))
    op.on.event('v1/configmaps', see('path'), () => void seen.push('path'))
    const subject = await s.start(op)
    expect(subject.running.health().streams).toHaveLength(1)
    await s.client.create('configmaps', { metadata: { name: 'a', labels: { scene: s.namespace } } })
    await s.when(() => seen.length === 4)
    expect([...seen].sort()).toEqual(['kind', 'name', 'path', 'shortcut'])
  })

  it('of everything takes all kinds but events', async () => {
    await using s = await scene()
    const seen = new Set<string>()
    const op = operator('curious')
    op.on.event(EVERYTHING, { labels: { scene: s.namespace } }, ({ resource: { kind } }) => void seen.add(kind))
    const subject = await s.start(op)
    const labels = { scene: s.namespace }
    await s.client.create('configmaps', { metadata: { name: 'a', labels } })
    await s.client.create('secrets', { metadata: { name: 'a', labels } })
    await s.client.create('events', {
      metadata: { name: 'a', labels },
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: s.namespace },
      reason: 'Tried',
      message: 'a test',
      type: 'Normal',
    } as never)
    await s.client.create(Widget, named('a', labels))
    await s.when(() => seen.size === 3)
    await s.settled()
    expect([...seen].sort()).toEqual(['ConfigMap', 'Secret', 'Widget'])
    const kinds = subject.running.health().streams.map(({ resource }) => resource)
    expect(kinds).not.toContain('events')
    expect(kinds).not.toContain('events.events.k8s.io')
    expect(kinds).toContain('deployments.apps')
    expect(new Set(kinds).size).toBe(kinds.length)
  })
})
