import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Change, SharedIndexInformer } from '../src/index.ts'
import {
  broken,
  endOfInitialEvents,
  FakeServer,
  forbidden,
  gone,
  type Thing,
  throttled,
  tooLarge,
} from './fake-server.ts'
import { settle, virtualSurroundings } from './surroundings.ts'

/** One thing that happens to the server or on the way to it. */
const happening = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('put' as const), name: fc.constantFrom('a', 'b', 'c', '__proto__') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('delete' as const), name: fc.constantFrom('a', 'b', 'c', '__proto__') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('cut' as const, 'close' as const, 'forget' as const, 'bookmark' as const, 'error' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      what: fc.constantFrom('list' as const, 'watch' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const), buffer: fc.integer({ min: 1, max: 4 }) }) },
)
/** How many turns everybody gets before the next thing happens: few, so that it happens in the middle of something. */
const history = fc.array(fc.tuple(happening, fc.nat({ max: 12 }), fc.nat({ max: 2 })), { maxLength: 40 })
const failures = [broken, forbidden, gone, tooLarge, () => throttled(1), () => 'refuse-connection' as const]

/** What one listener was told, checked while it is told. */
class Ledger {
  readonly known = new Map<string, Thing>()
  readonly #server: Map<string, Thing[]>
  readonly #place = new Map<string, number>()

  constructor(server: Map<string, Thing[]>) {
    this.#server = server
  }

  tell(change: Change<Thing>): void {
    const { key, type } = change
    expect(this.known.has(key), `${type} of ${key}`).toBe(type !== 'add')
    if (change.type === 'update') {
      expect(change.old).toBe(this.known.get(key))
      expect(change.old.metadata.uid).toBe(change.object.metadata.uid)
    }
    if (change.type === 'delete') this.#gone(key, change.object)
    else this.#is(key, change.object)
  }

  /** Deletions: of what is known, and of that very object. Once, because after it the object is not known. */
  #gone(key: string, last: Thing | undefined): void {
    expect(last?.metadata.uid).toBe(this.known.get(key)?.metadata.uid)
    this.known.delete(key)
  }

  /** States: in the order in which the server had them, possibly with gaps. */
  #is(key: string, object: Thing): void {
    const place = this.#server.get(key)?.indexOf(object) ?? -1
    expect(place).toBeGreaterThanOrEqual(0)
    expect(place).toBeGreaterThan(this.#place.get(key) ?? -1)
    this.#place.set(key, place)
    this.known.set(key, object)
  }
}

it.each([
  ['in pages', { watchList: false }, false],
  ['streamed', {}, false],
  ['from a server that ignores the wish for streamed lists', {}, true],
])(
  'whatever goes wrong, the cache ends as the server is, and everybody hears an ordered history: lists %s',
  async (_, options, ignores) => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), async (steps, seed) => {
        const server = new FakeServer(options)
        server.ignoresInitialEvents = ignores
        const states = recorded(server)
        const { clock, ...surroundings } = virtualSurroundings()
        const errors: string[] = []
        surroundings.logger.error = (message) => void errors.push(String(message))
        const informer = new SharedIndexInformer(server, {
          ...surroundings,
          clock,
          indexers: { parity: (thing: Thing) => [String(thing.spec.size % 2)] },
          onWatchError: () => {},
        })
        const ledgers: Ledger[] = []
        const join = (buffer: number) => {
          const [direct, buffered] = [new Ledger(states), new Ledger(states)]
          informer.subscribe((change) => direct.tell(change))
          informer.addEventHandler(handlerOf(buffered, buffer), { buffer })
          ledgers.push(direct, buffered)
        }
        join(1 + (seed % 3))
        const stop = new AbortController()
        const run = informer.run(stop.signal)
        for (const [i, [step, turns, seconds]] of steps.entries()) {
          happen(server, step, seed + i, join)
          for (let turn = 0; turn < turns; turn++) await undefined
          if (seconds > 0) await clock.advance(seconds)
        }
        await clock.advance('20m')
        for (let turn = 0; turn < 10; turn++) await settle()

        expect(errors).toEqual([])
        const truth = new Map(server.objects)
        const cached = new Map(
          informer
            .getStore()
            .listKeys()
            .map((key) => [key, informer.getStore().getByKey(key)]),
        )
        expect(sorted(cached)).toEqual(sorted(truth))
        for (const { known } of ledgers) expect(sorted(known)).toEqual(sorted(truth))
        const odd = [...truth].filter(([, { spec }]) => spec.size % 2 === 1).map(([key]) => key)
        expect(informer.getIndexer().indexKeys('parity', '1')).toEqual(odd.sort())
        expect(server.openWatches).toBe(1)
        expect(server.requests.length).toBeLessThan(60 + 6 * steps.length)
        stop.abort()
        await run
        expect([server.openWatches, clock.sleeping]).toEqual([0, 0])
      }),
      { numRuns: 120 },
    )
  },
)

type Step = typeof happening extends fc.Arbitrary<infer S> ? S : never

function happen(server: FakeServer, step: Step, n: number, join: (buffer: number) => void): void {
  const failure = (failures[n % failures.length] ?? broken)()
  switch (step.do) {
    case 'put':
      server.put(step.name, n)
      break
    case 'delete':
      server.delete(step.name)
      break
    case 'cut':
      server.cutAll()
      break
    case 'close':
      server.closeAll()
      break
    case 'forget':
      server.forgetHistory()
      break
    case 'bookmark':
      server.bookmark()
      break
    case 'error':
      if (failure !== 'refuse-connection') server.send({ type: 'ERROR', object: failure })
      break
    case 'fail':
      if (step.what === 'list') server.failNextList(failure)
      else server.failNextWatch(failure)
      break
    case 'join':
      join(step.buffer)
  }
}

/** Every state that the server ever had, by key, in order. */
function recorded(server: FakeServer): Map<string, Thing[]> {
  const states = new Map<string, Thing[]>()
  const put = server.put.bind(server)
  server.put = (name, size, namespace) => {
    const thing = put(name, size, namespace)
    const key = `${thing.metadata.namespace}/${name}`
    states.set(key, [...(states.get(key) ?? []), thing])
    return thing
  }
  return states
}

/** Fast or slow by its buffer: a slow one takes some turns for each call, so that its buffer overflows. */
function handlerOf(ledger: Ledger, pace: number) {
  const told = async (change: Change<Thing>) => {
    for (let turn = 0; turn < 20 * (pace - 1); turn++) await undefined
    ledger.tell(change)
  }
  const key = ({ metadata }: Thing) => `${metadata.namespace}/${metadata.name}`
  return {
    onAdd: (object: Thing, isInInitialList: boolean) =>
      told({ type: 'add', key: key(object), object, isInInitialList }),
    onUpdate: (old: Thing, object: Thing) => told({ type: 'update', key: key(object), old, object }),
    onDelete: (deleted: Omit<Extract<Change<Thing>, { type: 'delete' }>, 'type'>) =>
      told({ type: 'delete', ...deleted } as Change<Thing>),
  }
}

function sorted<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}

it('a resumed stream that carries the end of a list twice does no harm', async () => {
  const server = new FakeServer({})
  server.put('a', 1)
  const informer = new SharedIndexInformer(server, virtualSurroundings())
  const stop = new AbortController()
  const run = informer.run(stop.signal)
  await settle()
  server.send(endOfInitialEvents('99'))
  await settle()
  expect(informer.getStore().size).toBe(1)
  expect(informer.lastSyncResourceVersion).toBe('99')
  stop.abort()
  await run
})
