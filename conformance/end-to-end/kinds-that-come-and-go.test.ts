import { randomUUID } from 'node:crypto'
import { index, operator, type Resource, resource, TemporaryError, toCRD } from 'binnacle'
import { describe, expect, it } from 'vitest'
import { PAUSE, type Scene, stage } from './world.ts'

const { scene } = stage()

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io'

/** A kind that nobody has heard of before, in whichever versions. */
function novelty(kind = 'Novelty', versions: readonly [string, ...string[]] = ['v1']) {
  const group = `e2e-${randomUUID().slice(0, 8)}.example.com`
  const [first, ...others] = versions.map((version) => resource({ group, version, kind }) as unknown as Resource)
  if (!first) throw new TypeError('A kind has a version')
  const name = `${first.plural}.${group}`
  return { name, kind: first, definition: toCRD(first, ...others) }
}

const remove = async (s: Scene, name: string) => {
  await s.world.client.delete(DEFINITIONS, name)
  await s.when(async () => (await s.world.client.find(DEFINITIONS, name)) === undefined)
}
const watched = ({ running }: { readonly running: { health(): { streams: readonly { resource: string }[] } } }) =>
  running.health().streams.map(({ resource: name }) => name)
const warnings = ({ logs }: { readonly logs: readonly { level: string; message: string }[] }) =>
  logs.filter(({ level }) => level === 'warn' || level === 'error').map(({ message }) => message)

// A real server takes ten seconds and more to let a definition go.
describe('a kind', { timeout: 90_000 }, () => {
  it('that is not there at the start is awaited, and handled when it appears', async () => {
    await using s = await scene()
    const { name, kind, definition } = novelty()
    const op = operator('patient', { indices: { names: index(kind, ({ name: its }) => its) } })
    op.on.create(name, { id: 'made' }, ({ names }) => names.get(null).toArray().length)
    const subject = await s.start(op)
    expect(subject.running.health()).toMatchObject({
      ready: true,
      scope: { awaited: [{ resource: name, why: 'not served', users: ['handler "made"'] }, { resource: name }] },
    })
    await s.world.install(definition)
    await s.client.create(kind, { metadata: { name: 'a' }, spec: {} })
    const made = await s.until(kind, 'a', ({ status }) => status?.made !== undefined)
    expect(made.status).toEqual({ made: 1 })
    expect(subject.running.health().scope.awaited).toEqual([])
    expect(warnings(subject)).toHaveLength(1)
    expect(warnings(subject)[0]).toContain(`${name} (handler "made") is not served yet, and awaited. Install its`)
    await remove(s, name)
  })

  it('that disappears is let go with all that was known of it, and handled again when it returns', async () => {
    await using s = await scene()
    const { name, kind, definition } = novelty()
    await s.world.install(definition)
    const told: string[] = []
    const op = operator('faithful', { indices: { names: index(kind, ({ name: its }) => ({ [its]: true })) } })
    op.on.create(name, { id: 'made' }, ({ name: its }) => void told.push(`made ${its}`))
    op.on.delete(name, { id: 'gone' }, ({ name: its }) => void told.push(`gone ${its}`))
    op.daemon(name, { id: 'company' }, async ({ stopped }) => {
      await stopped.wait()
      told.push(`stopped: ${stopped.reason?.why}`)
    })
    const subject = await s.start(op)
    const { names } = subject.running.indices as typeof op.indices
    await s.client.create(kind, { metadata: { name: 'a' }, spec: {} })
    await s.when(() => subject.running.health().background.running === 1 && told.includes('made a'))
    await remove(s, name)
    await s.when(() => watched(subject).length === 0)
    expect([...told].sort()).toEqual(['gone a', 'made a', 'stopped: resource-deleted'])
    expect([names.size, subject.running.health().background.running]).toEqual([0, 0])
    await s.when(() => subject.running.health().scope.awaited.length > 0)
    await s.world.install(definition)
    await s.client.create(kind, { metadata: { name: 'b' }, spec: {} })
    await s.when(() => told.includes('made b') && names.has('b'))
    expect(warnings(subject).filter((line) => !line.includes('not served yet'))).toEqual([])
    await remove(s, name)
  })

  it('that is being removed is kept until the last of its objects has been released', async () => {
    await using s = await scene()
    const { name, kind, definition } = novelty('Reluctant')
    await s.world.install(definition)
    let attempts = 0
    const op = operator('reluctant')
    op.on.delete(name, { id: 'gone', backoff: PAUSE }, () => {
      attempts += 1
      if (attempts < 12) throw new TemporaryError('not yet', { delay: PAUSE })
    })
    await s.start(op)
    await s.client.create(kind, { metadata: { name: 'a' }, spec: {} })
    await s.until(kind, 'a', ({ metadata }) => (metadata.finalizers ?? []).length > 0)
    await remove(s, name)
    expect(attempts).toBe(12)
  })

  it('whose version is served no more is watched in the one that is, and its objects stay the same', async () => {
    await using s = await scene()
    const { name, kind, definition } = novelty('Growing', ['v1', 'v1beta1'])
    const [v1, beta] = definition.spec['versions'] as readonly { readonly name: string }[]
    const versions = (served: readonly string[]) =>
      [v1, beta].map((each) => ({
        ...each,
        served: served.includes(each?.name ?? ''),
        storage: each?.name === 'v1beta1',
      }))
    const young = { ...definition, spec: { ...definition.spec, versions: versions(['v1beta1']) } }
    await s.world.install(young)
    const told: string[] = []
    const op = operator('growing')
    op.on.create(name, { id: 'made' }, ({ resource: { version } }) => void told.push(`made ${version}`))
    op.on.resume(name, { id: 'resumed' }, () => void told.push('resumed'))
    op.on.update(name, { id: 'changed' }, ({ resource: { version }, body }) => {
      told.push(`changed ${version} ${body.apiVersion.endsWith(version)}`)
    })
    op.daemon(name, { id: 'company', finalizer: false }, async ({ stopped }) => {
      told.push('company')
      await stopped.wait()
    })
    const subject = await s.start(op)
    const old = resource({ group: kind.group, version: 'v1beta1', kind: 'Growing' })
    await s.client.create(old, { metadata: { name: 'a' }, spec: {} })
    await s.when(() => told.length === 2)
    // What is not written yet when the version goes is done again in the other one.
    await s.settled()
    await s.world.client.patch(DEFINITIONS, name, { spec: { versions: versions(['v1']) } } as object)
    await s.when(async () => (await s.client.find(kind, 'a').catch(() => undefined)) !== undefined)
    await s.when(() => subject.logs.some(({ message }) => message.includes('is watched in version v1 from now on')))
    await s.client.patch(kind, 'a', { spec: { field: 'y' } })
    await s.when(() => told.length === 3)
    await s.settled()
    expect(told).toEqual(expect.arrayContaining(['made v1beta1', 'company', 'changed v1 true']))
    expect(told).toHaveLength(3)
    await remove(s, name)
  })

  it('whose definition gains a status of its own has it written there from then on', async () => {
    await using s = await scene()
    const { name, kind, definition } = novelty('Learner')
    const [version] = definition.spec['versions'] as readonly object[]
    const { subresources: _, ...plain } = version as { readonly subresources?: unknown }
    await s.world.install({ ...definition, spec: { ...definition.spec, versions: [plain] } })
    const op = operator('learner')
    op.on.field(name, { id: 'seen', field: 'spec.n' }, ({ current, patch }) => {
      patch.status['seen'] = current
    })
    const subject = await s.start(op)
    await s.client.create(kind, { metadata: { name: 'a' }, spec: { n: 1 } })
    await s.until(kind, 'a', ({ status }) => status?.seen === 1)
    expect(subject.ledger.writes.every(({ to }) => to === 'object')).toBe(true)
    await s.world.client.patch(DEFINITIONS, name, { spec: { versions: [version] } } as object)
    await s.when(() => subject.logs.some(({ message }) => message.includes('has changed, and is heeded')))
    await s.client.patch(kind, 'a', { spec: { n: 2 } })
    await s.until(kind, 'a', ({ status }) => status?.seen === 2)
    await s.when(() => subject.ledger.writes.some(({ to }) => to === 'status'))
    await remove(s, name)
  })
})
