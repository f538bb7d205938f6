import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { Indexer } from '../src/index.ts'

interface Item {
  readonly id: string
  readonly tags: readonly string[]
}
type Mode = 'throw' | 'ignored' | 'temporary' | 'permanent'

/** The index function: one value that throws, so that histories contain failures. */
const byTag = ({ tags }: Item): readonly string[] => {
  if (tags.includes('!')) throw new Error('poisoned')
  return tags
}
const byCount = ({ tags }: Item): readonly string[] => (tags.includes('?') ? [] : [String(tags.length)])

/** The obvious implementation: each entry with the values that it should have, recomputed for every question. */
class Model {
  readonly entries = new Map<string, { object: Item; tags: readonly string[]; excluded: boolean }>()
  readonly #mode: Mode

  constructor(mode: Mode) {
    this.#mode = mode
  }

  put(object: Item): void {
    const old = this.entries.get(object.id)
    this.entries.set(object.id, this.#entry(object, old))
  }

  replace(objects: readonly Item[]): void {
    const next = new Map(objects.map((object) => [object.id, object]))
    const entries = [...next.values()].map((object) => this.#entry(object, this.entries.get(object.id)))
    this.entries.clear()
    for (const entry of entries) this.entries.set(entry.object.id, entry)
  }

  byTag(tag: string): string[] {
    const found = [...this.entries].filter(([, entry]) => entry.tags.includes(tag))
    return found.map(([key]) => key).sort()
  }

  byCount(count: string): string[] {
    const found = [...this.entries].filter(([, { object }]) => byCount(object).includes(count))
    return found.map(([key]) => key).sort()
  }

  #entry(object: Item, old: { tags: readonly string[]; excluded: boolean } | undefined) {
    if (old?.excluded) return { object, tags: [], excluded: true }
    if (!object.tags.includes('!')) return { object, tags: object.tags, excluded: false }
    if (this.#mode === 'throw') throw new Error('poisoned')
    return { object, tags: this.#mode === 'ignored' ? (old?.tags ?? []) : [], excluded: this.#mode === 'permanent' }
  }
}

const item = fc.record({
  id: fc.constantFrom('a', 'b', 'c', '__proto__'),
  tags: fc.array(fc.constantFrom('x', 'y', '', 'constructor', '!', '?'), { maxLength: 3 }),
})
const action = fc.oneof(
  fc.record({ do: fc.constantFrom('add' as const, 'update' as const, 'delete' as const), item }),
  fc.record({ do: fc.constant('replace' as const), items: fc.array(item, { maxLength: 5 }) }),
  fc.record({ do: fc.constant('index' as const) }),
)

it('an Indexer answers as the obvious implementation does, after every step of every history', () => {
  const modes = fc.constantFrom<Mode>('throw', 'ignored', 'temporary', 'permanent')
  fc.assert(
    fc.property(modes, fc.array(action, { maxLength: 30 }), (mode, actions) => {
      const model = new Model(mode)
      const indexer = new Indexer<Item>(({ id }) => id, { tag: byTag }, { indexErrors: mode })
      for (const step of actions) {
        expect(outcome(() => real(indexer, step))).toBe(outcome(() => obvious(model, step)))
        agree(indexer, model)
      }
    }),
    { numRuns: 400 },
  )
})

type Step = typeof action extends fc.Arbitrary<infer S> ? S : never

function real(indexer: Indexer<Item>, step: Step): void {
  if (step.do === 'replace') indexer.replace(step.items, '1')
  else if (step.do === 'index') {
    if (!('count' in indexer.getIndexers())) indexer.addIndexers({ count: byCount })
  } else indexer[step.do](step.item)
}

function obvious(model: Model, step: Step): void {
  if (step.do === 'replace') model.replace(step.items)
  else if (step.do === 'delete') model.entries.delete(step.item.id)
  else if (step.do !== 'index') model.put(step.item)
}

function agree(indexer: Indexer<Item>, model: Model): void {
  expect(indexer.listKeys().sort()).toEqual([...model.entries.keys()].sort())
  for (const [key, { object }] of model.entries) expect(indexer.getByKey(key)).toBe(object)
  const tags = ['x', 'y', '', 'constructor', '?']
  for (const tag of tags) expect(indexer.indexKeys('tag', tag)).toEqual(model.byTag(tag))
  expect(indexer.listIndexFuncValues('tag').sort()).toEqual(tags.filter((tag) => model.byTag(tag).length > 0).sort())
  if ('count' in indexer.getIndexers()) {
    for (const count of ['0', '1', '2', '3']) expect(indexer.indexKeys('count', count)).toEqual(model.byCount(count))
  }
  expect((indexer as unknown as { cells: { broken(): string[] } }).cells.broken()).toEqual([])
}

function outcome(call: () => void): 'done' | 'refused' {
  try {
    call()
    return 'done'
  } catch {
    return 'refused'
  }
}
