import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeletedFinalStateUnknown, DeltaFIFO, FIFO, Indexer, Store, WorkQueue } from '../src/index.ts'
import { broken, FakeServer, gone, type Thing, throttled } from './fake-server.ts'
import { reflecting } from './reflecting.ts'
import { settle } from './surroundings.ts'

interface Item {
  readonly id: string
  readonly state: number
}
const keyFunc = ({ id }: Item) => id
const item = fc.record({ id: fc.constantFrom('a', 'b', 'c', '__proto__'), state: fc.nat(9) })
const items = fc.array(item, { maxLength: 5 })

/** A command out of two functions: what it does to the model, and what it does to the real thing and expects of it. */
class Act<M extends object, R> implements fc.AsyncCommand<M, R> {
  readonly #name: string
  readonly #run: (model: M, real: R) => void | Promise<void>

  constructor(name: string, run: (model: M, real: R) => void | Promise<void>) {
    this.#name = name
    this.#run = run
  }

  check(): boolean {
    return true
  }

  async run(model: M, real: R): Promise<void> {
    await this.#run(model, real)
  }

  toString(): string {
    return this.#name
  }
}

async function agree<M extends object, R>(
  commands: readonly fc.Arbitrary<fc.AsyncCommand<M, R>>[],
  make: () => { model: M; real: R },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.commands([...commands], { maxCommands: 60 }), (acts) => fc.asyncModelRun(make, acts)),
    { numRuns: 150 },
  )
}

interface IndexerModel {
  objects: Map<string, Item>
  fails: boolean
}
interface RealIndexer {
  readonly indexer: Indexer<Item, 'state'>
  fails: boolean
}

it('an Indexer agrees with a Map, also while its index function throws', async () => {
  const same = (model: IndexerModel, { indexer }: RealIndexer) => {
    expect(new Map(indexer.listKeys().map((key) => [key, indexer.getByKey(key)]))).toEqual(model.objects)
    for (let state = 0; state < 10; state++) {
      const due = [...model.objects].filter(([, object]) => object.state === state).map(([key]) => key)
      expect(indexer.indexKeys('state', String(state))).toEqual(due.sort())
    }
  }
  /** While the function throws nothing changes. */
  const change = (name: string, act: (indexer: Indexer<Item>) => void, apply: (objects: Map<string, Item>) => void) =>
    new Act<IndexerModel, RealIndexer>(name, (model, real) => {
      const mayFail = name !== 'delete'
      if (model.fails && mayFail) {
        try {
          act(real.indexer)
        } catch {
          return same(model, real)
        }
      } else act(real.indexer)
      apply(model.objects)
      same(model, real)
    })
  await agree<IndexerModel, RealIndexer>(
    [
      item.map((object) =>
        change(
          'update',
          (indexer) => indexer.update(object),
          (objects) => void objects.set(object.id, object),
        ),
      ),
      item.map((object) =>
        change(
          'delete',
          (indexer) => indexer.delete(object),
          (objects) => void objects.delete(object.id),
        ),
      ),
      items.map((list) =>
        change(
          'replace',
          (indexer) => indexer.replace(list, '1'),
          (objects) => {
            objects.clear()
            for (const object of list) objects.set(object.id, object)
          },
        ),
      ),
      fc.boolean().map(
        (fails) =>
          new Act<IndexerModel, RealIndexer>(`fails ${fails}`, (model, real) => {
            model.fails = fails
            real.fails = fails
          }),
      ),
    ],
    () => {
      const real: RealIndexer = {
        fails: false,
        indexer: new Indexer<Item, 'state'>(keyFunc, {
          state: ({ state }) => {
            if (real.fails) throw new Error('clumsy')
            return [String(state)]
          },
        }),
      }
      return { model: { objects: new Map(), fails: false }, real }
    },
  )
})

it('a FIFO agrees with a list of keys and a Map', async () => {
  type Model = { line: string[]; objects: Map<string, Item> }
  const put = (model: Model, object: Item) => {
    if (!model.objects.has(object.id)) model.line.push(object.id)
    model.objects.set(object.id, object)
  }
  await agree<Model, FIFO<Item>>(
    [
      item.map(
        (object) =>
          new Act('add', (model, real) => {
            put(model, object)
            real.add(object)
          }),
      ),
      item.map(
        (object) =>
          new Act('addIfNotPresent', (model, real) => {
            if (!model.objects.has(object.id)) put(model, object)
            real.addIfNotPresent(object)
          }),
      ),
      item.map(
        (object) =>
          new Act('delete', (model, real) => {
            model.objects.delete(object.id)
            real.delete(object)
          }),
      ),
      items.map(
        (list) =>
          new Act('replace', (model, real) => {
            model.line = []
            model.objects = new Map()
            for (const object of list) put(model, object)
            real.replace(list, '1')
          }),
      ),
      fc.constant(
        new Act('pop', async (model, real) => {
          const at = model.line.findIndex((waiting) => model.objects.has(waiting))
          // Nothing is popped then, so that keys without an object keep their places.
          if (at < 0) return expect(real.size).toBe(0)
          const key = model.line.splice(0, at + 1)[at] as string
          const expected = model.objects.get(key)
          model.objects.delete(key)
          expect(await real.pop(() => {})).toBe(expected)
        }),
      ),
    ],
    () => ({ model: { line: [], objects: new Map() }, real: new FIFO<Item>(keyFunc) }),
  )
})

it('a DeltaFIFO agrees with a Map of lists, and its consumer ends as the source', async () => {
  type Model = { source: Map<string, Item>; world: Store<Item> }
  const process = (model: Model, real: DeltaFIFO<Item>) =>
    real.pop((deltas) => {
      for (const { type, object } of deltas) {
        if (object instanceof DeletedFinalStateUnknown) {
          const known = model.world.getByKey(object.key)
          if (known) model.world.delete(known)
        } else if (type === 'Deleted') model.world.delete(object)
        else model.world.update(object)
      }
    })
  const drained = async (model: Model, real: DeltaFIFO<Item>) => {
    while (real.size > 0) await process(model, real)
    expect(new Map(model.world.list().map((object) => [object.id, object]))).toEqual(model.source)
  }
  await agree<Model, DeltaFIFO<Item>>(
    [
      item.map(
        (object) =>
          new Act('put', (model, real) => {
            if (model.source.has(object.id)) real.update(object)
            else real.add(object)
            model.source.set(object.id, object)
          }),
      ),
      item.map(
        ({ id }) =>
          new Act('delete', (model, real) => {
            const known = model.source.get(id)
            model.source.delete(id)
            real.delete(known ?? { id, state: 0 })
          }),
      ),
      items.map(
        (list) =>
          new Act('relist after a gap', (model, real) => {
            model.source = new Map(list.map((object) => [object.id, object]))
            real.replace(list, '1')
          }),
      ),
      fc.constant(new Act('resync', (_, real) => real.resync())),
      fc.constant(
        new Act('pop', async (model, real) => {
          if (real.size > 0) await process(model, real)
          expect((real as unknown as { broken(): string[] }).broken()).toEqual([])
        }),
      ),
      fc.constant(new Act('drain', drained)),
    ],
    () => {
      const world = new Store<Item>(keyFunc)
      return { model: { source: new Map(), world }, real: new DeltaFIFO<Item>({ keyFunc, knownObjects: world }) }
    },
  )
})

it('a work queue agrees with two sets and a line', async () => {
  type Model = { line: string[]; dirty: Set<string>; working: Set<string> }
  const id = fc.constantFrom('a', 'b', 'c')
  await agree<Model, WorkQueue<string>>(
    [
      id.map(
        (name) =>
          new Act('add', (model, real) => {
            if (!model.dirty.has(name)) {
              model.dirty.add(name)
              if (!model.working.has(name)) model.line.push(name)
            }
            real.add(name)
          }),
      ),
      fc.constant(
        new Act('get', async (model, real) => {
          const next = model.line.shift()
          if (next === undefined) return expect(real.length).toBe(0)
          model.dirty.delete(next)
          model.working.add(next)
          expect(await real.get()).toBe(next)
        }),
      ),
      id.map(
        (name) =>
          new Act('done', (model, real) => {
            if (model.working.delete(name) && model.dirty.has(name)) model.line.push(name)
            real.done(name)
            expect(real.length).toBe(model.line.length)
            expect((real as unknown as { broken(): string[] }).broken()).toEqual([])
          }),
      ),
    ],
    () => ({ model: { line: [], dirty: new Set(), working: new Set() }, real: new WorkQueue<string>() }),
  )
})

it('a reflector brings its store to where the server is, whatever happens on the way', async () => {
  type Real = ReturnType<typeof reflecting<FakeServer>>
  const act = (name: string, run: (real: Real) => void | Promise<void>) =>
    new Act<object, Real>(name, (_, real) => run(real))
  const name = fc.constantFrom('a', 'b', 'c')
  await fc.assert(
    fc.asyncProperty(
      fc.commands(
        [
          fc.tuple(name, fc.nat(9)).map(([id, size]) => act('put', ({ server }) => void server.put(id, size))),
          name.map((id) => act('delete', ({ server }) => server.delete(id))),
          fc
            .constantFrom('cutAll', 'closeAll', 'forgetHistory', 'bookmark')
            .map((what) =>
              act(what, ({ server }) => server[what as 'cutAll' | 'closeAll' | 'forgetHistory' | 'bookmark']()),
            ),
          fc
            .constantFrom(broken, gone, () => throttled(1))
            .map((failure) =>
              act('fail', ({ server }) => {
                server.failNextList(failure())
                server.failNextWatch(failure())
              }),
            ),
          fc.nat(30).map((turns) =>
            act('turns', async () => {
              for (let turn = 0; turn < turns; turn++) await undefined
            }),
          ),
          fc.constant(
            act('calm', async ({ server, store, clock }) => {
              await clock.advance('10m')
              await settle()
              const versions = (things: Iterable<Thing>) =>
                Array.from(things, ({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).sort()
              expect(versions(store)).toEqual(versions(server.objects.values()))
            }),
          ),
        ] as fc.Arbitrary<fc.AsyncCommand<object, Real>>[],
        { maxCommands: 40 },
      ),
      async (acts) => {
        const real = reflecting(new FakeServer({}))
        try {
          await fc.asyncModelRun(() => ({ model: {}, real }), acts)
          expect(real.server.requests.length).toBeLessThan(1000)
        } finally {
          await real.end()
        }
      },
    ),
    { numRuns: 100 },
  )
})
