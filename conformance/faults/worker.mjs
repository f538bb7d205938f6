/**
 * Tries plans that its parent sends, one job after the other, and tells what came of each.
 * @typedef {object} Report
 * @property {number} scenario
 * @property {string} plan the smallest that shows the same, if it was bad
 * @property {readonly string[]} faults
 * @property {import('@binnacle/testing').Verdict} verdict
 * @property {boolean} bad
 * @property {string} message
 * @property {number} strikes
 * @property {number} recovery virtual seconds
 *
 * @typedef {object} Job
 * @property {number} scenario
 * @property {readonly string[]} plans tried in this order, until one is bad
 * @property {import('@binnacle/testing').Reference} [against] the undisturbed run of somebody else; by default the worker's own
 */
import { attempt, failure, isClean, parsePlan, printPlan, reference, shrunk } from '@binnacle/testing'
import { SCENARIOS } from './scenarios.mjs'

/** @type {Map<number, Promise<import('@binnacle/testing').Reference>>} */
const references = new Map()

/** @param {number} number */
function scenarioOf(number) {
  const scenario = SCENARIOS[number]
  if (!scenario) throw new RangeError(`No scenario ${number}`)
  return scenario
}

/** @param {number} number */
function own(number) {
  const known = references.get(number) ?? reference(scenarioOf(number), 1)
  references.set(number, known)
  return known
}

/** @param {number} number @param {string} text @param {import('@binnacle/testing').Reference} against @returns {Promise<Report>} */
async function report(number, text, against) {
  const scenario = scenarioOf(number)
  const tried = await attempt(scenario, against, parsePlan(text))
  const bad = !isClean(tried.verdict)
  const smallest = bad ? await shrunk(scenario, against, tried) : tried
  const error = bad ? failure(smallest) : undefined
  return {
    scenario: number,
    plan: printPlan(smallest.plan),
    faults: tried.plan.faults.map(({ fault }) => fault),
    verdict: smallest.verdict,
    bad,
    message: error ? `${error.message}\n${error.hint}` : '',
    strikes: tried.aftermath.strikes,
    recovery: tried.aftermath.recoverySeconds,
  }
}

/** @param {Job} job @returns {Promise<readonly Report[]>} */
async function done({ scenario, plans, against }) {
  const reports = []
  for (const plan of plans) {
    const made = await report(scenario, plan, against ?? (await own(scenario)))
    reports.push(made)
    if (made.bad) break
  }
  return reports
}

process.on('message', async (job) => {
  process.send?.(await done(/** @type {Job} */ (job)))
})
