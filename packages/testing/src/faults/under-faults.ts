import { BinnacleError, explain } from '@binnacle/core'
import type { Env, Operator } from 'binnacle'
import { type Harness, type HarnessOptions, harnessIn } from '../harness.ts'
import { attempt, type CampaignOptions, plans, shrunk, type Tried } from './campaign.ts'
import { parsePlan, printPlan } from './plan.ts'
import { isClean, judgeAlone, reference, type Scenario } from './trial.ts'

export interface UnderFaultsOptions
  extends Omit<
      HarnessOptions,
      'time' | 'kubeconfig' | 'faulty' | 'start' | 'disturbance' | 'from' | 'objects' | 'version'
    >,
    CampaignOptions {
  /** Only this plan, as a failed run has printed it. */
  readonly replay?: string
}

export interface UnderFaultsResult {
  readonly runs: number
  /** How many faults have struck. */
  readonly faults: number
  readonly seconds: number
}

/**
 * Runs a story once undisturbed, then once for each fault of the catalogue at each place where it can strike: after a write, instead of an
 * answer, at an event, in the middle of a list. The end must be the same: the same objects, every handler done, none done without reason
 * once more, no finalizer or task left.
 * In a disturbed run time passes whenever something has struck, as much as recovery may take; and handlers may run again where a crash
 * explains it, so that `expect.called` is content with more calls.
 * Rejects at once if the undisturbed run itself leaves something behind or never comes to rest; else with the smallest plan that still fails, which `replay` repeats alone.
 */
export async function underFaults<E extends Env>(
  operator: () => Operator<E>,
  story: (harness: Harness<E>) => Promise<void>,
  options: UnderFaultsOptions = {},
): Promise<UnderFaultsResult> {
  const { only, random, replay, resources = [], seed = 1, ...runOptions } = options
  const scenario: Scenario = {
    name: operator().name,
    resources,
    story: async (world) => await story(await harnessIn(world, operator, runOptions, seed)),
  }
  const began = performance.now()
  const against = await reference(scenario, seed)
  const alone = judgeAlone(against.aftermath)
  if (!isClean(alone)) {
    throw inFull(failure({ plan: { seed, faults: [] }, verdict: alone, aftermath: against.aftermath }))
  }
  const planned =
    replay === undefined
      ? plans(against, seed, { ...(only && { only }), ...(random && { random }) })
      : [parsePlan(replay)]
  let runs = 0
  let faults = 0
  for (const plan of planned) {
    const tried = await attempt(scenario, against, plan)
    runs++
    faults += tried.aftermath.strikes
    if (!isClean(tried.verdict)) throw inFull(failure(await shrunk(scenario, against, tried)))
  }
  return { runs, faults, seconds: (performance.now() - began) / 1000 }
}

/** Test runners print the message: all that there is to read is in it. */
function inFull(error: BinnacleError): BinnacleError {
  const { hint, fix } = error
  return new BinnacleError('BIN_EXPECTATION', { message: explain(error), hint, fix })
}

const HEADINGS = {
  notConverged: 'The end is another one:',
  lost: 'Handlers that should have ended, and have not:',
  twice: 'Handlers that ended once more without a reason:',
  leakedFinalizers: 'Finalizers that were left behind:',
  leakedTasks: 'Left behind in the process:',
} as const

/** What went wrong under which plan, and how to see it again. */
export function failure({ plan, verdict, aftermath }: Tried): BinnacleError {
  const text = printPlan(plan)
  const findings = Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const found = verdict[kind as keyof typeof HEADINGS]
    return found.length === 0 ? [] : [heading, ...found.map((line) => `  ${line}`)]
  })
  return new BinnacleError('BIN_EXPECTATION', {
    message: `The operator does not survive ${text.slice(text.indexOf(':') + 1) || 'a run in which nothing goes wrong'}\n${findings.join('\n')}`,
    hint: `What happened:\n${aftermath.timeline}`,
    fix: `underFaults(…, { replay: '${text}' })`,
  })
}
