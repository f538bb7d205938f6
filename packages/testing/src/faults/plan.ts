import { BinnacleError } from '@binnacle/core'

/** One fault of the catalogue, at the n-th of its places, counted from 1. */
export interface PlannedFault {
  readonly fault: string
  readonly at: number
}

/** What is tried in one run: everything that chance decides comes from the seed. */
export interface FaultPlan {
  readonly seed: number
  readonly faults: readonly PlannedFault[]
}

/** `7:lose-response@3,crash-after-write@5` */
export function printPlan({ seed, faults }: FaultPlan): string {
  return `${seed}:${faults.map(({ fault, at }) => `${fault}@${at}`).join(',')}`
}

export function parsePlan(text: string): FaultPlan {
  const [, seed, list = ''] = /^(\d+):(.*)$/.exec(text) ?? []
  if (seed === undefined) throw unreadable(text)
  const faults = list === '' ? [] : list.split(',').map((part) => plannedFault(part, text))
  return { seed: Number(seed), faults }
}

function plannedFault(part: string, text: string): PlannedFault {
  const [, fault, at] = /^([a-z0-9-]+)@([1-9]\d*)$/.exec(part) ?? []
  if (fault === undefined || at === undefined) throw unreadable(text)
  return { fault, at: Number(at) }
}

function unreadable(text: string): BinnacleError {
  return new BinnacleError('BIN_EXPECTATION', {
    message: `Not a plan of faults: ${JSON.stringify(text)}`,
    hint: 'A plan is SEED:FAULT@PLACE,…, as a failed run prints it, such as 7:lose-response@3.',
  })
}
