import { type Harness, harness } from '@binnacle/testing'
import { type ErrorsMode, index, type Operator, operator, PermanentError, TemporaryError } from 'binnacle'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BACKOFF, DELAY, entriesOf, FAILURES, IndexModel, RESULTS, type Spec } from './index-model.ts'
import { Kex } from './kinds.ts'

/**
 * Random histories of objects, with outages, lost versions, relists, pauses, restarts and errors of every sort: after each step every index equals the
 * one that a model of 000 builds.
 */

const MODES: readonly ErrorsMode[] = ['ignored', 'temporary', 'permanent']

/** The indexing function of the story: the object says what it gives. */
function resultOf(name: string, spec: Spec): unknown {
  switch (spec.what) {
    case 'value':
    case 'list':
      return entriesOf(name, spec)?.[0]?.[1]
    case 'nested':
    case 'shared':
      return Object.fromEntries((entriesOf(name, spec) ?? []).map(([key, value]) => [String(key), value]))
    case 'empty':
      return {}
    case 'nothing':
      return spec.n % 2 === 0 ? undefined : null
    case 'throws':
      throw new Error(`${name} throws`)
    case 'permanent':
      throw new PermanentError(`${name} never`)
    case 'temporary':
      throw new TemporaryError(`${name} later`, { delay: DELAY })
    case 'no key':
      return new Map([[{ no: 'key' }, 1]])
    case 'promise':
      return Promise.resolve({ late: 1 })
    default:
      return new Map(entriesOf(name, spec) ?? [])
  }
}

const spec = fc.record({
  what: fc.constantFrom(...RESULTS, ...RESULTS, ...FAILURES),
  n: fc.nat(5),
  skip: fc.nat(5).map((n) => n === 0),
})
const name = fc.constantFrom('a', 'b', 'c')
/** What lies between the operator and its cluster is disturbed, or mended. */
const DISTURBANCES = ['cut', 'relist', 'sever', 'restore', 'compact', 'pause', 'resume', 'restart'] as const
/** Seconds that never add up to the end of an exclusion. */
const WAITS = [7.3, 22.9, 41.1, 70.7] as const
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('put' as const), name, spec }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remake' as const), name, spec }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom(...DISTURBANCES) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.constantFrom(...WAITS) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Edit = Extract<Step, { readonly name: string }>
type Disturbance = (typeof DISTURBANCES)[number]

const byMode = (errors: ErrorsMode) =>
  index(
    Kex,
    { errors, backoff: BACKOFF, when: ({ spec }) => !spec.skip },
    ({ name, spec }) => resultOf(name, spec) as {},
  )
const observed = () =>
  operator('model', {
    indices: { ignored: byMode('ignored'), temporary: byMode('temporary'), permanent: byMode('permanent') },
  })
type Observed = ReturnType<typeof observed> extends Operator<infer E> ? Harness<E> : never

/** The world, and the models beside it. */
class Story {
  readonly #t: Observed
  #models = MODES.map((mode) => new IndexModel(mode))
  readonly #fed = new Map<string, string>()
  #severed = false
  #paused = false

  constructor(t: Observed) {
    this.#t = t
  }

  async take(step: Step): Promise<void> {
    if (step.do === 'wait') await this.#t.advance(step.seconds)
    else if ('name' in step) await this.#edit(step)
    else await this.#disturb(step.do)
    await this.#t.settled()
    await this.#feed()
    for (const model of this.#models) {
      const actual = [...this.#t.indices[model.mode]].flatMap(([key, values]) => {
        expect(values.size).toBeGreaterThan(0)
        return values.map((value) => `${JSON.stringify(key)} → ${JSON.stringify(value)}`)
      })
      expect({ mode: model.mode, contents: actual.sort() }).toEqual({ mode: model.mode, contents: model.contents })
    }
  }

  async #edit(step: Edit): Promise<void> {
    const { cluster } = this.#t
    const ref = { namespace: 'default', name: step.name }
    const present = (await cluster.find(Kex, ref)) !== undefined
    if (step.do === 'put' && present) return void (await cluster.patch(Kex, ref, { spec: step.spec }))
    if (present) await cluster.delete(Kex, ref)
    if (step.do !== 'delete') await cluster.create(Kex, { metadata: ref, spec: step.spec })
  }

  /** Before and after it, exclusions come to their ends: when exactly a lost line is joined again is nobody's promise. */
  async #disturb(what: Disturbance): Promise<void> {
    await this.#t.advance('10m')
    await this.#feed()
    await this.#act(what)
    await this.#t.advance('10m')
  }

  async #act(what: Disturbance): Promise<void> {
    const { cluster, link, operator } = this.#t
    if (what === 'compact' || what === 'relist') cluster.actor.compact()
    if (what === 'cut' || what === 'relist') link.cut()
    if (what === 'sever' && !this.#severed) link.sever()
    if (what === 'restore' && this.#severed) link.restore()
    if (what === 'sever' || what === 'restore') this.#severed = what === 'sever'
    if (what === 'pause') await operator.pause()
    if (what === 'resume') await operator.resume()
    if (what === 'pause' || what === 'resume') this.#paused = what === 'pause'
    if (what === 'restart' && !this.#severed) await this.#restart()
  }

  /** Nothing is kept over a restart. */
  async #restart(): Promise<void> {
    await this.#t.restart()
    this.#paused = false
    this.#models = MODES.map((mode) => new IndexModel(mode))
    this.#fed.clear()
  }

  /** The models see what the operator can see, at the same time. */
  async #feed(): Promise<void> {
    const now = this.#t.clock.monotonic()
    for (const model of this.#models) model.pass(now)
    if (this.#severed || this.#paused) return
    const { items } = await this.#t.cluster.list(Kex)
    const uids = new Set(items.map(({ metadata }) => metadata.uid))
    for (const model of this.#models) model.keepOnly(uids)
    for (const { metadata, spec } of items) {
      if (this.#fed.get(metadata.uid) === metadata.resourceVersion) continue
      for (const model of this.#models) model.see(metadata.uid, metadata.name, spec, now)
      this.#fed.set(metadata.uid, metadata.resourceVersion)
    }
  }
}

it('an index equals the one that the model builds, after each step of any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (history) => {
      await using t = await harness(observed(), { resources: [Kex] })
      const story = new Story(t)
      for (const each of history) await story.take(each)
    }),
    { numRuns: 40 },
  )
}, 90_000)
