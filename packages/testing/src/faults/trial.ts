import type { Installable } from '../world.ts'
import { World } from '../world.ts'
import { type Account, account, imbalance } from './account.ts'
import { catalogueFault } from './catalogue.ts'
import { Disturbance } from './disturbance.ts'
import { differences, type EndState, endState } from './end-state.ts'
import type { Place } from './place.ts'
import type { FaultPlan } from './plan.ts'

/** What happens to operators in a world: starts them, does things to the cluster, lets time pass. */
export interface Scenario {
  readonly name: string
  readonly resources: readonly Installable[]
  readonly story: (world: World) => Promise<void>
}

/** How a world was left. */
export interface Aftermath {
  readonly state: EndState
  readonly account: Account
  readonly finalizers: readonly string[]
  /** Writes within the last minutes, when all should be quiet. */
  readonly restless: number
  /** Sleepers and watches that are left when all operators have stopped. */
  readonly left: number
  readonly counts: ReadonlyMap<Place, number>
  readonly strikes: number
  readonly recoverySeconds: number
  readonly timeline: string
}

/** Minutes in which a world comes to rest, and then is looked at. */
const CALM = '10m'

/** Another beginning, so that what depends on the time of day shows itself between two undisturbed runs. */
const OTHER_START = new Date('2026-03-04T05:06:07.890Z')

export async function trial(scenario: Scenario, plan: FaultPlan, from?: Date): Promise<Aftermath> {
  const { seed, faults } = plan
  const { resources, story } = scenario
  const disturbance = new Disturbance(faults)
  await using world = await World.virtual({ resources, seed, disturbance, ...(from && { from }) })
  await story(world)
  await world.settled()
  disturbance.end()
  await world.advance(CALM)
  const before = writes(world)
  await world.advance(CALM)
  const restless = writes(world) - before
  const { cluster, operators } = world
  if (!cluster) throw new TypeError('A trial needs an embedded cluster')
  const state = endState(cluster)
  for (const operator of operators) await operator.stop()
  const { counts, strikes, recoverySeconds } = disturbance
  return {
    state,
    account: account(operators),
    finalizers: finalizersIn(state),
    restless,
    left: world.sleeping + cluster.watches,
    ...{ counts, strikes, recoverySeconds },
    timeline: world.timeline,
  }
}

const writes = ({ operators }: World) => [...operators].reduce((sum, { ledger }) => sum + ledger.writes.length, 0)

function finalizersIn(state: EndState): readonly string[] {
  return [...state].flatMap(([key, object]) => {
    const { finalizers = [] } = (object as { metadata: { finalizers?: readonly string[] } }).metadata
    return finalizers.filter((name) => name.includes('.binnacle.dev/')).map((name) => `${key}: ${name}`)
  })
}

/** An undisturbed run, and what differs between undisturbed runs by itself. */
export interface Reference {
  readonly aftermath: Aftermath
  readonly varying: ReadonlySet<string>
}

export async function reference(scenario: Scenario, seed: number): Promise<Reference> {
  const aftermath = await trial(scenario, { seed, faults: [] })
  const other = await trial(scenario, { seed: seed + 1, faults: [] }, OTHER_START)
  return { aftermath, varying: new Set(differences(aftermath.state, other.state).keys()) }
}

/** What is wrong with a disturbed world: nothing, if all are empty. */
export interface Verdict {
  readonly notConverged: readonly string[]
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  readonly leakedFinalizers: readonly string[]
  readonly leakedTasks: readonly string[]
}

export function judge({ aftermath: expected, varying }: Reference, found: Aftermath, plan: FaultPlan): Verdict {
  const repeats = plan.faults.filter(({ fault }) => catalogueFault(fault).mayRepeat).length
  const differing = [...differences(expected.state, found.state)].filter(([path]) => !varying.has(path))
  const leftOver = found.finalizers.filter((finalizer) => !expected.finalizers.includes(finalizer))
  const restless = found.restless > 2 * expected.restless ? [`${found.restless} writes after all should be quiet`] : []
  return {
    notConverged: [...differing.map(([path, difference]) => `${path}: ${difference}`), ...restless],
    ...imbalance(expected.account, found.account, repeats),
    leakedFinalizers: leftOver,
    leakedTasks: found.left > expected.left ? [`${found.left} sleepers and watches, ${expected.left} expected`] : [],
  }
}

export function isClean(verdict: Verdict): boolean {
  return Object.values(verdict).every((findings) => findings.length === 0)
}
