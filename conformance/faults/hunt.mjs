/**
 * Every mutant against those who are expected to catch it.
 * Guarantees: the undisturbed run that a mutant is compared with is that of the framework as it is; a mutant that nobody catches, and one that never comes
 * to an end, count as survivors.
 * @typedef {import('./mutants.mjs').Mutant} Mutant
 * @typedef {import('./worker.mjs').Report} Report
 */
import { plans, printPlan, reference } from '@binnacle/testing'
import { withMutant } from './pool.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { aligned, judgement } from './table.mjs'

/** Real seconds for one mutant. */
const PATIENCE = 300

/** @type {Map<string, Promise<import('@binnacle/testing').Reference>>} */
const references = new Map()

/** @param {string} name */
function referenceOf(name) {
  const scenario = SCENARIOS.find((each) => each.name === name)
  if (!scenario) throw new RangeError(`No scenario is called "${name}"`)
  const known = references.get(name) ?? reference(scenario, 1)
  references.set(name, known)
  return known
}

/** The report that caught it, if any. @param {Mutant} mutant @returns {Promise<Report | undefined>} */
async function caught({ name, scenario, fault }) {
  const against = await referenceOf(scenario)
  // First with nothing going wrong: many mistakes show by themselves.
  const named = fault === 'none' ? [] : [...plans(against, 1, { only: [fault] })].map(printPlan)
  const job = { scenario: SCENARIOS.findIndex((each) => each.name === scenario), plans: ['1:', ...named], against }
  return (await withMutant(name, job, PATIENCE))?.find(({ bad }) => bad)
}

/** @param {readonly Mutant[]} mutants @param {number} cores @param {(line: string) => void} tell @returns {Promise<number>} how many survive */
export async function hunt(mutants, cores, tell) {
  /** @type {Map<string, Report | undefined>} */
  const found = new Map()
  const waiting = [...mutants]
  const work = async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const report = await caught(mutant)
      found.set(mutant.name, report)
      if (!report) tell(`${mutant.name} survives "${mutant.scenario}" under ${mutant.fault}: ${mutant.flaw}`)
    }
  }
  await Promise.all(Array.from({ length: cores }, work))
  const rows = mutants.map((mutant) => rowOf(mutant, found.get(mutant.name)))
  for (const line of aligned([['mutant', 'caught by', 'under', 'as'], ...rows], 4)) tell(line)
  return mutants.filter(({ name }) => !found.get(name)).length
}

/** @param {Mutant} mutant @param {Report | undefined} report */
function rowOf({ name, scenario }, report) {
  if (!report) return [name, 'NOBODY', '', '']
  const plan = report.plan.slice(report.plan.indexOf(':') + 1)
  return [name, scenario, plan || 'nothing at all', judgement(report)]
}
