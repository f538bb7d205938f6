import type { SlowedObject } from 'binnacle'
import type { Installable } from '../world.ts'
import { RECOVERY, World } from '../world.ts'
import { type Account, account, imbalance } from './account.ts'
import { Disturbance } from './disturbance.ts'
import { differences, type EndState, endState, isDeleting } from './end-state.ts'
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
  /** The account when all had had the time to recover, and long before the end. */
  readonly intime: Account
  /** How often handlers may have run beyond what was expected: see doubt.ts. */
  readonly spare: Account
  readonly finalizers: readonly string[]
  /** Those of them that are on objects which are to go. */
  readonly detained: readonly string[]
  /** Writes within the last minutes, when all should be quiet. */
  readonly restless: number
  /** Objects whose handlers answer their own writes without end. */
  readonly slowed: readonly string[]
  /** Who sleeps while all is quiet. */
  readonly asleep: number
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
  const { cluster, operators } = world
  if (!cluster) throw new TypeError('A trial needs an embedded cluster')
  const intime = account(operators)
  await world.advance(CALM)
  const before = writes(world)
  await world.advance(CALM)
  const restless = writes(world) - before
  const { sleeping: asleep } = world
  const alive = [...operators].filter((operator) => operator.alive)
  const slowed = alive.flatMap(({ running }) => running.health().slowed).map(unendingIn)
  const state = endState(cluster)
  const detained = finalizersIn(endState(cluster, isDeleting))
  for (const operator of operators) await operator.stop()
  const { counts, strikes, recoverySeconds, spare } = disturbance
  return {
    state,
    account: account(operators),
    intime,
    finalizers: finalizersIn(state),
    detained,
    restless,
    slowed,
    asleep,
    left: world.sleeping + cluster.watches,
    ...{ counts, strikes, recoverySeconds, spare },
    timeline: world.timeline,
  }
}

function unendingIn({ object, handlers }: SlowedObject): string {
  return `${object} never comes to rest: what ${handlers.map((id) => `"${id}"`).join(', ')} writes makes it be called again`
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

/** What is wrong with an undisturbed run itself: whatever is compared with it would only be as bad. */
export function judgeAlone({ slowed, detained, left }: Aftermath): Verdict {
  return {
    notConverged: slowed,
    lost: [],
    twice: [],
    leakedFinalizers: detained,
    leakedTasks: left > 0 ? [`${left} sleepers and watches at the end`] : [],
  }
}

/** What is wrong with a disturbed world: nothing, if all are empty. */
export interface Verdict {
  readonly notConverged: readonly string[]
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  readonly leakedFinalizers: readonly string[]
  readonly leakedTasks: readonly string[]
}

export function judge({ aftermath: expected, varying }: Reference, found: Aftermath): Verdict {
  const differing = [...differences(expected.state, found.state)].filter(([path]) => !varying.has(path))
  const leftOver = found.finalizers.filter((finalizer) => !expected.finalizers.includes(finalizer))
  const restless = found.restless > 2 * expected.restless ? [`${found.restless} writes after all should be quiet`] : []
  const balance = imbalance(expected.account, found.account, found.spare)
  // What is done only long after the fault is over was lost for everybody who waited for it.
  const late = imbalance(expected.intime, found.intime, found.spare).lost.map((line) => `${line}, in time`)
  return {
    notConverged: [
      ...differing.map(([path, difference]) => `${path}: ${difference}`),
      ...found.slowed,
      ...restless,
      ...slow(found),
    ],
    lost: balance.lost.length > 0 ? balance.lost : late,
    twice: balance.twice,
    leakedFinalizers: leftOver,
    leakedTasks: leaks(expected, found),
  }
}

/** Recovery has a limit, also where an operator is not yet there to be waited for. */
function slow({ recoverySeconds }: Aftermath): readonly string[] {
  return recoverySeconds > RECOVERY
    ? [`recovered ${Math.round(recoverySeconds)} s after the fault, ${RECOVERY} s at most`]
    : []
}

function leaks(expected: Aftermath, found: Aftermath): readonly string[] {
  const { asleep, left } = found
  return [
    ...(asleep > expected.asleep ? [`${asleep} sleep while all is quiet, ${expected.asleep} expected`] : []),
    ...(left > expected.left ? [`${left} sleepers and watches at the end, ${expected.left} expected`] : []),
  ]
}

export function isClean(verdict: Verdict): boolean {
  return Object.values(verdict).every((findings) => findings.length === 0)
}
