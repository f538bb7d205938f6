import * as fc from 'fast-check'
import { expect } from 'vitest'
import { type Change, SharedIndexInformer, type SharedInformerOptions } from '../src/index.ts'
import { broken, FakeServer, forbidden, gone, type Thing, throttled, tooLarge } from './fake-server.ts'
import { settle, virtualSurroundings } from './surroundings.ts'

/**
 * Histories of a server and of the way to it, and the informer that has to live through them: what it must be in the end, and what everybody must
 * have heard on the way.
 */

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
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('hasten' as const),
      closes: fc.constantFrom(true, false, 'after a bookmark' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const), buffer: fc.integer({ min: 1, max: 4 }) }) },
)
/** How many turns everybody gets before the next thing happens: few, so that it happens in the middle of something. */
const history = fc.array(fc.tuple(happening, fc.nat({ max: 12 }), fc.nat({ max: 2 })), { maxLength: 40 })
const failures = [broken, forbidden, gone, tooLarge, () => throttled(1), () => 'refuse-connection' as const]

export type Informer = SharedIndexInformer<Thing, 'parity'>
export type MakeInformer = (server: FakeServer, options: SharedInformerOptions<Thing>) => Informer

export const makeInformer: MakeInformer = (server, options) =>
  new SharedIndexInformer(server, {
    ...options,
    indexers: { parity: (thing: Thing) => [String(thing.spec.size % 2)] },
    onWatchError: () => {},
  })

export interface Way {
  /** The server says whether lists can be streamed. */
  readonly watchList?: boolean
  /** It does not know what that is, and does not say so. */
  readonly ignores?: boolean
  readonly queue?: 'in-order' | 'delta'
}

/** Fails if there is a history after which the cache is not as the server, or in which somebody heard what cannot have been. */
export async function livesThroughAll(
  make: MakeInformer,
  way: Way,
  settings: { readonly numRuns: number; readonly endOnFailure?: boolean },
) {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), (steps, seed) => livesThrough(make, way, steps, seed)),
    settings,
  )
}

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

async function livesThrough(
  make: MakeInformer,
  way: Way,
  steps: readonly (readonly [Step, number, number])[],
  seed: number,
) {
  const { ignores = false, queue = 'in-order', ...options } = way
  const server = new FakeServer(options)
  server.ignoresInitialEvents = ignores
  const states = recorded(server)
  const { clock, ...surroundings } = virtualSurroundings()
  const errors: string[] = []
  surroundings.logger.error = (message) => void errors.push(String(message))
  const informer = make(server, { ...surroundings, clock, queue })
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
  server.closesWatches = false
  await clock.advance('20m')
  for (let turn = 0; turn < 10; turn++) await settle()

  expect(errors).toEqual([])
  isAs(server, informer, ledgers)
  expect(server.openWatches).toBe(1)
  expect(server.requests.length).toBeLessThan(60 + 6 * steps.length)
  stop.abort()
  await run
  expect([server.openWatches, clock.sleeping]).toEqual([0, 0])
}

/** Cache, indices, and what everybody knows, are what the server has. */
function isAs(server: FakeServer, informer: Informer, ledgers: readonly Ledger[]): void {
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
}

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
    case 'hasten':
      server.closesWatches = step.closes
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
