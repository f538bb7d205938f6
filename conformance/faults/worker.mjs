/**
 * Tries plans that its parent sends, one after the other.
 * @typedef {object} Report
 * @property {number} scenario
 * @property {string} plan
 * @property {readonly string[]} faults
 * @property {import('@binnacle/testing').Verdict} verdict
 * @property {boolean} bad
 * @property {string} message
 * @property {number} strikes
 * @property {number} recovery virtual seconds
 */
import { attempt, failure, isClean, parsePlan, printPlan, reference, shrunk } from '@binnacle/testing'
import { SCENARIOS } from './scenarios.mjs'

/** @type {Map<number, Promise<import('@binnacle/testing').Reference>>} */
const references = new Map()

/** @param {{ scenario: number, plan: string }} job @returns {Promise<Report>} */
async function report({ scenario: number, plan: text }) {
  const scenario = SCENARIOS[number]
  if (!scenario) throw new RangeError(`No scenario ${number}`)
  const against = references.get(number) ?? reference(scenario, 1)
  references.set(number, against)
  const tried = await attempt(scenario, await against, parsePlan(text))
  const bad = !isClean(tried.verdict)
  const smallest = bad ? await shrunk(scenario, await against, tried) : tried
  const error = bad ? failure(smallest) : undefined
  return {
    scenario: number,
    plan: printPlan(smallest.plan),
    faults: tried.plan.faults.map(({ fault }) => fault),
    verdict: tried.verdict,
    bad,
    message: error ? `${error.message}\n${error.hint}` : '',
    strikes: tried.aftermath.strikes,
    recovery: tried.aftermath.recoverySeconds,
  }
}

process.on('message', async (job) => {
  process.send?.(await report(/** @type {{ scenario: number, plan: string }} */ (job)))
})
