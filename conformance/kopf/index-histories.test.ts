import { harness } from '@binnacle/testing'
import { type ErrorsMode, index, operator } from 'binnacle'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Kex } from './kinds.ts'

/**
 * Random histories of objects, with outages, lost history and errors: after each step every index equals the one that a model of 000 builds.
 */

const RESULTS = ['keys', 'value', 'nothing', 'empty', 'nulls', 'throws'] as const
const MODES: readonly ErrorsMode[] = ['ignored', 'temporary', 'permanent']
type What = (typeof RESULTS)[number]
interface Spec {
  readonly what: What
  readonly n: number
  readonly skip: boolean
}

/** The indexing function of the story: the object says what it gives. */
function resultOf(name: string, { what, n }: Spec): unknown {
  switch (what) {
    case 'keys':
      return new Map<unknown, unknown>([
        [`k${n % 3}`, name],
        [[name, n % 2], n],
      ])
    case 'value':
      return `${name}-${n}`
    case 'nothing':
      return undefined
    case 'empty':
      return {}
    case 'nulls':
      return { [`k${n % 3}`]: null }
    case 'throws':
      throw new Error(`${name} throws`)
  }
}

/** 000 in a few lines: what each object has in an index. */
class Model {
  readonly mode: ErrorsMode
  readonly #values = new Map<string, readonly (readonly [key: string, value: string])[]>()
  readonly #excluded = new Set<string>()

  constructor(mode: ErrorsMode) {
    this.mode = mode
  }

  see(uid: string, name: string, spec: Spec): void {
    if (this.#excluded.has(uid)) return
    if (spec.skip) return void this.#values.delete(uid)
    try {
      const result = resultOf(name, spec)
      if (result === undefined) return
      const entries =
        result instanceof Map
          ? [...result]
          : typeof result === 'object'
            ? Object.entries(result as object)
            : [[null, result]]
      this.#values.set(
        uid,
        entries.map(([key, value]) => [JSON.stringify(key), JSON.stringify(value)]),
      )
    } catch {
      if (this.mode === 'ignored') return
      this.#values.delete(uid)
      if (this.mode === 'permanent') this.#excluded.add(uid)
    }
  }

  keepOnly(uids: ReadonlySet<string>): void {
    for (const uid of this.#values.keys()) if (!uids.has(uid)) this.#values.delete(uid)
  }

  get contents(): readonly string[] {
    return [...this.#values.values()].flatMap((entries) => entries.map((entry) => entry.join(' → '))).sort()
  }
}

const spec = fc.record({ what: fc.constantFrom(...RESULTS), n: fc.nat(5), skip: fc.nat(5).map((n) => n === 0) })
const name = fc.constantFrom('a', 'b')
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name, spec }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('cut', 'sever', 'restore', 'compact' as const) }) },
)

it('an index equals the one that the model builds, after each step of any history', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 16 }), async (history) => {
      const byMode = (errors: ErrorsMode) =>
        index(
          Kex,
          { errors, backoff: 60, when: ({ spec }) => !spec.skip },
          ({ name, spec }) => resultOf(name, spec) as {},
        )
      const op = operator('model', {
        indices: { ignored: byMode('ignored'), temporary: byMode('temporary'), permanent: byMode('permanent') },
      })
      await using t = await harness(op, { resources: [Kex] })
      const models = MODES.map((mode) => new Model(mode))
      const fed = new Map<string, string>()
      let severed = false
      for (const each of history) {
        if (each.do === 'put') {
          const { name, spec } = each
          const present = await t.cluster.find(Kex, { namespace: 'default', name })
          if (present) await t.cluster.patch(Kex, { namespace: 'default', name }, { spec })
          else await t.cluster.create(Kex, { metadata: { namespace: 'default', name }, spec })
        } else if (each.do === 'delete') {
          if (await t.cluster.find(Kex, { namespace: 'default', name: each.name }))
            await t.cluster.delete(Kex, { namespace: 'default', name: each.name })
        } else if (each.do === 'compact') t.cluster.actor.compact()
        else if (each.do === 'cut') t.link.cut()
        else if (each.do === 'sever' && !severed) t.link.sever()
        else if (each.do === 'restore' && severed) t.link.restore()
        if (each.do === 'sever') severed = true
        if (each.do === 'restore') severed = false
        await t.advance('10m')
        if (severed) continue
        const { items } = await t.cluster.list(Kex)
        for (const { metadata, spec } of items) {
          if (fed.get(metadata.uid) !== metadata.resourceVersion)
            for (const model of models) model.see(metadata.uid, metadata.name, spec)
          fed.set(metadata.uid, metadata.resourceVersion)
        }
        for (const model of models) {
          model.keepOnly(new Set(items.map(({ metadata }) => metadata.uid)))
          const actual = [...t.indices[model.mode as 'ignored']].flatMap(([key, values]) => {
            expect(values.size).toBeGreaterThan(0)
            return values.map((value) => `${JSON.stringify(key)} → ${JSON.stringify(value)}`)
          })
          expect({ mode: model.mode, contents: actual.sort() }).toEqual({ mode: model.mode, contents: model.contents })
        }
      }
    }),
    { numRuns: 25, seed: 7 },
  )
}, 60_000)
