import {
  ABSENT,
  type AnyEnv,
  index,
  type Marker,
  type OneOf,
  type Operator,
  oneOf,
  operator,
  PRESENT,
  resource,
  TemporaryError,
} from 'binnacle'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Harness, harness, World } from '../../src/index.ts'
import { Kex } from '../kex.ts'
import { limitedClient } from '../limited-client.ts'

const off = { watching: { serverSideFilters: false } }
const ref = (name: string) => ({ namespace: 'default', name })
const filterOf = (t: Harness) => t.health().streams[0]?.filter

/** Criteria that the server can apply, and one that it cannot. */
const CRITERIA: { readonly [name in Criterion]: string | Marker | OneOf<string> | ((value?: string) => boolean) } = {
  blue: 'blue',
  red: 'red',
  either: oneOf('blue', 'red'),
  present: PRESENT,
  absent: ABSENT,
  own: (value) => value !== 'red',
}

type Criterion = 'blue' | 'red' | 'either' | 'present' | 'absent' | 'own'
type Verb = 'create' | 'update' | 'field' | 'index' | 'retried' | 'resume' | 'delete' | 'event' | 'daemon'
interface Declared {
  readonly verb: Verb
  readonly colour: Criterion
}

/** Most of them allow it; with one of the last four nothing may be left out. */
const verb = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom<Verb>('create', 'update', 'field', 'index', 'retried') },
  { weight: 1, arbitrary: fc.constantFrom<Verb>('resume', 'delete', 'event', 'daemon') },
)
const criterion = fc.constantFrom<Criterion>('blue', 'red', 'either', 'present', 'absent', 'own')
const declared = fc.record({ verb, colour: criterion })
const name = fc.constantFrom('a', 'b')
const colour = fc.constantFrom('blue', 'red', 'green', null)
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('paint' as const), name, colour }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change' as const), name, n: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart', 'cut', 'wait' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Said, because a symbol that is inferred is any symbol. */
interface Options {
  readonly id: string
  readonly labels: { readonly colour: (typeof CRITERIA)[Criterion] }
}

function declare(handlers: readonly Declared[]): Operator {
  const indices = handlers.flatMap(({ verb, colour: wanted }, i) => {
    if (verb !== 'index') return []
    const names = index(Kex, { labels: { colour: CRITERIA[wanted] } }, ({ name: its, spec }) => ({ [its]: spec.n }))
    return [[`index${i}`, names] as const]
  })
  const op = operator('pushing', { indices: Object.fromEntries(indices) }) as unknown as Operator<AnyEnv>
  handlers.forEach(({ verb, colour: wanted }, i) => {
    const options: Options = { id: `${verb}${i}`, labels: { colour: CRITERIA[wanted] } }
    if (verb === 'create') op.on.create(Kex, options, ({ spec }) => spec.n)
    if (verb === 'update') op.on.update(Kex, options, ({ diff }) => diff.length)
    if (verb === 'field') op.on.field(Kex, { ...options, field: 'spec.n' }, ({ current }) => current ?? null)
    if (verb === 'resume') op.on.resume(Kex, options, () => {})
    if (verb === 'delete') op.on.delete(Kex, { ...options, optional: i % 2 === 0 }, () => {})
    if (verb === 'event') op.on.event(Kex, { ...options, result: false }, () => {})
    if (verb === 'daemon') op.daemon(Kex, options, ({ stopped }) => stopped.wait().then(() => undefined))
    if (verb === 'retried') {
      op.on.create(Kex, options, ({ retry }) => {
        if (retry < 2) throw new TemporaryError('not yet', { delay: 30 })
      })
    }
  })
  return op
}

/** The whole story, as far as it can be seen from outside. */
async function story(handlers: readonly Declared[], history: readonly Step[], settings: object) {
  await using t = await harness(declare(handlers) as Operator, { resources: [Kex], settings })
  for (const each of history) {
    if ('name' in each) await change(t, each)
    else if (each.do === 'restart') await t.restart()
    else if (each.do === 'cut') t.link.cut()
    await t.advance(each.do === 'wait' ? '60s' : '5s')
  }
  await t.advance('5m')
  const { items } = await t.cluster.list(Kex)
  return {
    filter: filterOf(t),
    runs: t.runs.map(({ handler, cause, object, attempt, outcome }) => ({ handler, cause, object, attempt, outcome })),
    indices: Object.entries(t.indices as { [its: string]: Iterable<[string, Iterable<unknown>]> }).map(
      ([its, entries]) => [its, [...entries].map(([key, values]) => [key, [...values]]).sort()],
    ),
    objects: items.map(({ metadata: { labels, annotations, finalizers }, status }) => {
      return { labels, annotations: Object.keys(annotations ?? {}), finalizers, status }
    }),
  }
}

async function change(t: Harness, each: Extract<Step, { name: string }>): Promise<void> {
  const present = await t.cluster.find(Kex, ref(each.name))
  if (each.do === 'delete') {
    if (present) await t.cluster.delete(Kex, ref(each.name))
  } else if (present) {
    const patch = each.do === 'paint' ? { metadata: { labels: { colour: each.colour } } } : { spec: { n: each.n } }
    await t.cluster.patch(Kex, ref(each.name), patch as object)
  } else {
    const labels = each.do === 'paint' && each.colour !== null ? { colour: each.colour } : {}
    await t.cluster.create(Kex, { metadata: { ...ref(each.name), labels }, spec: { n: 0 } } as never)
  }
}

it('handlers are called, and indices filled, as if the server left nothing out', async () => {
  const filters = new Set<string | undefined>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(declared, { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 4, maxLength: 12 }),
      async (handlers, history) => {
        const { filter, ...pushed } = await story(handlers, history, {})
        const { filter: none, ...whole } = await story(handlers, history, off)
        filters.add(filter)
        expect(none).toBeUndefined()
        expect(pushed).toEqual(whole)
      },
    ),
    { numRuns: 50 },
  )
  expect(filters.size).toBeGreaterThan(3)
}, 60_000)

describe('what the server leaves out', () => {
  const Picky = resource({
    group: 'kopf.dev',
    version: 'v1',
    kind: 'Picky',
    selectableFields: ['spec.colour'],
    schema: { spec: { type: 'object', properties: { colour: { type: 'string' } } } },
  })

  it('is chosen by a field that the definition declares, and by no other', async () => {
    const op = operator('picky', {
      indices: { blue: index(Picky, { field: 'spec.colour', value: 'blue' }, ({ name: its }) => its) },
    })
    await using t = await harness(op, { resources: [Picky] })
    expect(filterOf(t as Harness)).toBe('spec.colour=blue')
    for (const [its, spec] of [
      ['a', { colour: 'blue' }],
      ['b', { colour: 'red' }],
    ] as const)
      await t.cluster.create(Picky, { metadata: ref(its), spec })
    await t.settled()
    expect(t.indices.blue.get(null).toArray()).toEqual(['a'])
    expect(t.health().streams[0]?.objects).toBe(1)
    await t.cluster.patch(Picky, ref('a'), { spec: { colour: 'red' } })
    await t.cluster.patch(Picky, ref('b'), { spec: { colour: 'blue' } })
    await t.settled()
    expect(t.indices.blue.get(null).toArray()).toEqual(['b'])
  })

  it('is nothing while an object outside still carries the finalizer of the operator, declared otherwise before', async () => {
    await using world = await World.virtual({ resources: [Kex] })
    const before = operator('changing')
    before.on.delete(Kex, { id: 'bye' }, () => {})
    const after = operator('changing')
    after.on.create(Kex, { id: 'made', labels: { colour: 'blue' } }, () => {})
    const old = await world.start(before)
    await world.client.create(Kex, { metadata: ref('red'), spec: {} } as never)
    await world.until(Kex, ref('red'), (object) => object?.metadata.finalizers !== undefined)
    await old.stop()
    const first = await world.start(after)
    await world.until(Kex, ref('red'), (object) => object?.metadata.finalizers === undefined)
    expect(first.running.health().streams[0]?.filter).toBeUndefined()
    await first.restart()
    expect(first.running.health().streams[0]?.filter).toBe('colour in (blue)')
  })

  it('is asked for after all if the server does not understand the question', async () => {
    const op = operator('modern', {
      indices: { bound: index('pods', { field: 'spec.nodeName', value: 'n' }, () => 1) },
    })
    await using world = await World.virtual()
    const old = limitedClient(world.client, ({ fields }) => (fields ? 'not understood' : undefined))
    const lines: string[] = []
    await using running = await op.start({
      client: old,
      clock: world.clock,
      logger: { write: (line) => lines.push(line) },
    })
    expect(running.health().streams).toMatchObject([{ resource: 'pods', state: 'watching' }])
    expect(running.health().streams[0]?.filter).toBeUndefined()
    expect(lines.filter((line) => line.includes('does not understand the selector for pods'))).toHaveLength(1)
  })
})
