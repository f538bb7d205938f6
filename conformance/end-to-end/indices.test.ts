import { index, operator } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Plain, Widget } from './kinds.ts'
import { isHandledBy, PAUSE, type Scene, stage } from './world.ts'

const { scene } = stage(Widget, Plain)

/** Indexes widgets by the group in their spec, and answers what is in a group to whoever creates a Plain. */
function librarian() {
  const op = operator('librarian', {
    indices: {
      byGroup: index(Widget, ({ spec, name }) => (spec.group === undefined ? {} : { [spec.group]: name })),
      byPlace: index(
        Widget,
        { labels: { listed: 'yes' } },
        ({ namespace, name, spec }) => new Map([[[namespace, name], spec.group as string]]),
      ),
    },
  })
  op.on.create(Plain, { id: 'read' }, ({ spec, byGroup }) => byGroup.get(spec.group).toArray().sort())
  return op
}

const widget = (s: Scene, name: string, group?: string, listed = 'yes') =>
  s.client.create(Widget, { metadata: { name, labels: { listed } }, spec: group === undefined ? {} : { group } })

const ask = async (s: Scene, name: string, group: string) => {
  await s.client.create(Plain, { metadata: { name }, spec: { group } })
  return (await s.until(Plain, name, isHandledBy('librarian'))).status?.read
}

describe('an index', () => {
  it('is complete before the first handler runs', async () => {
    await using s = await scene()
    for (const [name, group] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const)
      await widget(s, name, group)
    await s.client.create(Plain, { metadata: { name: 'early' }, spec: { group: 'x' } })
    await s.start(librarian())
    const { status } = await s.until(Plain, 'early', isHandledBy('librarian'))
    expect(status.read).toEqual(['a', 'c'])
  })

  it('follows its objects: new, changed, out of its filter, gone', async () => {
    await using s = await scene()
    const op = librarian()
    const subject = await s.start(op)
    const { byGroup, byPlace } = subject.running.indices as typeof op.indices
    await widget(s, 'a', 'x')
    await widget(s, 'b', 'x')
    await s.when(() => byGroup.get('x').size === 2)
    expect(await ask(s, 'one', 'x')).toEqual(['a', 'b'])
    expect(byPlace.first([s.namespace, 'a'])).toBe('x')
    await s.client.patch(Widget, 'a', { spec: { group: 'y' } })
    await s.when(() => byGroup.has('y'))
    expect(await ask(s, 'two', 'x')).toEqual(['b'])
    expect(await ask(s, 'three', 'y')).toEqual(['a'])
    await s.client.patch(Widget, 'a', { metadata: { labels: { listed: 'no' } } })
    await s.when(() => !byPlace.has([s.namespace, 'a']))
    expect(byGroup.get('y').toArray()).toEqual(['a'])
    await s.client.delete(Widget, 'a')
    await s.when(() => !byGroup.has('y'))
    expect([...byGroup.keys()]).toEqual(['x'])
    expect(await ask(s, 'four', 'y')).toEqual([])
  })

  it.each([
    ['the line was away', false],
    ['the line was away and the server has forgotten its history', true],
  ])('is right after %s', async (_, forget) => {
    await using s = await scene()
    const op = librarian()
    const subject = await s.start(op)
    for (const name of ['a', 'b', 'c']) await widget(s, name, 'x')
    const { byGroup, byPlace } = subject.running.indices as typeof op.indices
    await s.when(() => byGroup.get('x').size === 3)
    subject.link.sever()
    await s.client.delete(Widget, 'a')
    await s.client.patch(Widget, 'b', { spec: { group: 'y' } })
    await widget(s, 'd', 'x')
    if (forget) s.forgetHistory()
    await s.pass(PAUSE)
    expect(byGroup.get('x').toArray().sort()).toEqual(['a', 'b', 'c'])
    subject.link.restore()
    await s.when(() => byGroup.get('x').has('d'))
    expect(await ask(s, 'one', 'x')).toEqual(['c', 'd'])
    expect(await ask(s, 'two', 'y')).toEqual(['b'])
    expect([...byPlace.keys()].map(([, name]) => name).sort()).toEqual(['b', 'c', 'd'])
  })

  it('writes nothing to the objects that it reads', async () => {
    await using s = await scene()
    const op = librarian()
    const subject = await s.start(op)
    const created = await widget(s, 'a', 'x')
    await s.when(() => (subject.running.indices as typeof op.indices).byGroup.has('x'))
    expect(await ask(s, 'one', 'x')).toEqual(['a'])
    await s.settled()
    expect((await s.client.get(Widget, 'a')).metadata.resourceVersion).toBe(created.metadata.resourceVersion)
  })
})
