import { messageOf } from '@binnacle/core'
import { ExpectationError } from '../expectation-error.ts'
import { seededRandom } from '../seeded-random.ts'
import { CATALOGUE, type CatalogueFault } from './catalogue.ts'
import { PLACES, type Place } from './place.ts'
import type { FaultPlan, PlannedFault } from './plan.ts'
import { type Aftermath, isClean, judge, type Reference, type Scenario, trial, type Verdict } from './trial.ts'

export interface CampaignOptions {
  /** Names of faults, or beginnings of names. @default all */
  readonly only?: readonly string[]
  /** Runs with several faults at once, drawn by chance, beside those with one. @default 0 */
  readonly random?: number
}

/** Most faults in one drawn plan. */
const MOST_AT_ONCE = 3

/** One plan for each fault at each place that the undisturbed run has come by, then drawn ones. */
export function* plans({ aftermath }: Reference, seed: number, options: CampaignOptions = {}): Iterable<FaultPlan> {
  const faults = CATALOGUE.filter(({ name }) => !options.only || options.only.some((start) => name.startsWith(start)))
  for (const fault of faults) {
    for (let at = 1; at <= placesOf(fault, aftermath); at++) yield { seed, faults: [{ fault: fault.name, at }] }
  }
  for (let run = 0; run < (options.random ?? 0); run++) yield drawn(faults, aftermath, seed + run)
}

function placesOf({ place }: CatalogueFault, { counts }: Aftermath): number {
  return counts.get(place) ?? 0
}

function drawn(faults: readonly CatalogueFault[], aftermath: Aftermath, seed: number): FaultPlan {
  const random = seededRandom(seed * 7919 + 1)
  const below = (limit: number) => Math.floor(random() * limit)
  const possible = faults.filter((fault) => placesOf(fault, aftermath) > 0)
  const chosen: PlannedFault[] = []
  for (let i = 2 + below(MOST_AT_ONCE - 1); i > 0; i--) {
    const fault = possible[below(possible.length)]
    if (fault) chosen.push({ fault: fault.name, at: 1 + below(placesOf(fault, aftermath)) })
  }
  return { seed, faults: chosen }
}

export interface Tried {
  readonly plan: FaultPlan
  readonly verdict: Verdict
  readonly aftermath: Aftermath
}

/** One plan, tried and judged. A story that fails by itself has not converged. */
export async function attempt(scenario: Scenario, against: Reference, plan: FaultPlan): Promise<Tried> {
  try {
    const aftermath = await trial(scenario, plan)
    return { plan, aftermath, verdict: judge(against, aftermath) }
  } catch (error) {
    const finding = error instanceof ExpectationError ? error.finding : messageOf(error)
    const notConverged = [finding]
    const verdict = { notConverged, lost: [], twice: [], leakedFinalizers: [], leakedTasks: [] }
    return { plan, aftermath: { ...against.aftermath, timeline: timelineOf(error), strikes: 1 }, verdict }
  }
}

function timelineOf(error: unknown): string {
  if (error instanceof ExpectationError) return error.timeline
  return error instanceof Error && 'hint' in error ? String(error.hint) : ''
}

/** The smallest part of a failing plan that still fails. */
export async function shrunk(scenario: Scenario, against: Reference, failed: Tried): Promise<Tried> {
  const { seed, faults } = failed.plan
  for (const left of faults) {
    const fewer = faults.filter((fault) => fault !== left)
    if (fewer.length === 0) continue
    const tried = await attempt(scenario, against, { seed, faults: fewer })
    if (!isClean(tried.verdict)) return await shrunk(scenario, against, tried)
  }
  return failed
}

/** How often each place came by, in words. */
export function placesInWords({ counts }: Aftermath): string {
  return PLACES.map((place: Place) => `${counts.get(place) ?? 0} ${PLURALS[place]}`).join(', ')
}

const PLURALS: Readonly<Record<Place, string>> = {
  write: 'writes',
  written: 'answers to writes',
  run: 'handler runs',
  event: 'events',
  read: 'reads',
  watch: 'watches',
}
