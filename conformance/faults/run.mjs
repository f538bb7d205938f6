/**
 * Every scenario under every fault, at every place where it can strike; then several faults at once, drawn from seeds.
 *
 *     npm run faults                           all of it: at least 10,000 runs
 *     npm run faults -- --quick                each fault at three places of each scenario
 *     npm run faults -- --seeds 500            so many drawn plans for each scenario
 *     npm run faults -- --only watch           faults, scenarios or mutants whose name begins so
 *     npm run faults -- --replay 7:lose-response@3 --only 'create with'
 *     npm run faults -- --mutants              mistakes in the framework, and who catches them
 *
 * Prints a table by fault. Ends with code 1 if a bad column is not zero, or a mutant survives; each failing run prints the command that replays it alone.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { CATALOGUE, parsePlan, placesInWords, plans, printPlan, reference } from '@binnacle/testing'
import { hunt } from './hunt.mjs'
import { MUTANTS, stale } from './mutants.mjs'
import { shared } from './pool.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { campaignTable } from './table.mjs'

/** @typedef {import('./worker.mjs').Job} Job */
/** @typedef {import('./worker.mjs').Report} Report */

const SEED = 1
/** Runs of a whole campaign, at least: drawn plans fill up what single faults leave. */
const ENOUGH = 10_000

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    only: { type: 'string' },
    replay: { type: 'string' },
    quick: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    help: { type: 'boolean', default: false },
  },
})

const names = {
  scenarios: SCENARIOS.map(({ name }) => name),
  faults: CATALOGUE.map(({ name }) => name),
  mutants: MUTANTS.map(({ name }) => name),
}
const catalogues = Object.entries(names).map(([what, all]) => `${what}: ${all.join(', ')}`)
const cores = Math.max(1, Number(values.jobs) || 1)
/** Several beginnings of names are separated by commas. */
const starts = values.only?.split(',').map((start) => start.trim())
/** @param {string} name */
const isWanted = (name) => !starts || starts.some((start) => name.startsWith(start))

if (values.help) {
  console.log('npm run faults -- [--quick] [--seeds N] [--only NAME,…] [--replay SEED:PLAN] [--mutants] [--jobs N]')
  console.log(catalogues.join('\n'))
} else if (![...names.scenarios, ...names.faults, ...names.mutants].some(isWanted)) {
  console.error(`Nothing is called "${values.only}". There are ${catalogues.join('\n')}`)
  process.exitCode = 2
} else if (values.mutants) await huntMutants()
else await campaign()

async function huntMutants() {
  const broken = stale()
  if (broken.length > 0) {
    console.error(`The list of mutants has fallen behind the code:\n${broken.join('\n')}`)
    process.exitCode = 2
    return
  }
  const began = performance.now()
  const chosen = MUTANTS.filter(({ name }) => isWanted(name))
  const survivors = await hunt(chosen, cores, (line) => console.log(line))
  const killed = chosen.length - survivors
  console.log(`\n${killed} of ${chosen.length} mutants are caught, in ${secondsSince(began)} s`)
  closing(killed, survivors)
}

async function campaign() {
  const began = performance.now()
  const jobs = await jobsOf()
  const reports = await done(jobs)
  const bad = reports.filter((report) => report.bad).length
  console.log(`\n${campaignTable(reports).join('\n')}`)
  console.log(`\n${reports.length} runs in ${secondsSince(began)} s by ${cores} processes, ${bad} bad`)
  if (bad === 0) console.log(confidence(reports.length))
  closing(reports.length - bad, bad)
}

/** @param {number} runs */
function confidence(runs) {
  return `No failure in ${runs} runs: at most ${((3 / runs) * 100).toFixed(3)} % fail, with a confidence of 95 %.`
}

/** @returns {Promise<readonly Job[]>} */
async function jobsOf() {
  const named = SCENARIOS.filter(({ name }) => isWanted(name))
  const chosen = named.length > 0 ? named : SCENARIOS
  const numberOf = (/** @type {typeof SCENARIOS[number]} */ scenario) => SCENARIOS.indexOf(scenario)
  if (values.replay !== undefined) {
    const plan = printPlan(parsePlan(values.replay))
    return chosen.map((scenario) => ({ scenario: numberOf(scenario), plans: [plan] }))
  }
  const only = starts && named.length === 0 ? starts : undefined
  const planned = []
  for (const scenario of chosen) {
    const against = await reference(scenario, SEED)
    planned.push({ scenario, against, single: [...plans(against, SEED, only ? { only } : {})] })
  }
  const random = drawnEach(
    planned.reduce((sum, { single }) => sum + single.length, 0),
    chosen.length,
    only,
  )
  return planned.flatMap(({ scenario, against, single }) => {
    const drawn = [...plans(against, SEED, { random, ...(only && { only }) })].slice(single.length)
    const all = values.quick ? some(single) : [...single, ...drawn]
    console.log(`${scenario.name}: ${placesInWords(against.aftermath)}; ${all.length} runs`)
    return all.map((plan) => ({ scenario: numberOf(scenario), plans: [printPlan(plan)] }))
  })
}

/** How many plans with several faults each scenario gets. @param {number} single @param {number} scenarios @param {unknown} only */
function drawnEach(single, scenarios, only) {
  if (values.seeds !== undefined) return Number(values.seeds)
  if (values.quick || only || scenarios < SCENARIOS.length) return 0
  return Math.ceil(Math.max(0, ENOUGH - single) / scenarios)
}

/** Of each fault its first, middle and last place. @param {readonly import('@binnacle/testing').FaultPlan[]} single */
function some(single) {
  const faults = new Set(single.map(({ faults: [first] }) => first?.fault))
  return [...faults].flatMap((name) => {
    const own = single.filter(({ faults: [first] }) => first?.fault === name)
    return [...new Set([own[0], own[Math.floor(own.length / 2)], own.at(-1)].filter((plan) => plan !== undefined))]
  })
}

/** @param {readonly Job[]} jobs @returns {Promise<readonly Report[]>} */
async function done(jobs) {
  /** @type {Report[]} */
  const reports = []
  await shared(jobs, cores, (told) => {
    for (const report of told) {
      reports.push(report)
      if (report.bad) tellBad(report)
    }
    if (process.stderr.isTTY && reports.length % 100 === 0)
      process.stderr.write(`\r${reports.length} of ${jobs.length}`)
  })
  return reports
}

/** @param {Report} report */
function tellBad({ scenario, message, plan }) {
  const name = SCENARIOS[scenario]?.name
  console.error(`\n${name}\n${message}`)
  console.error(`Again, alone: npm run faults -- --only '${name}' --replay ${plan}`)
}

/** @param {number} began */
function secondsSince(began) {
  return ((performance.now() - began) / 1000).toFixed(0)
}

/** As every stage of CI ends. @param {number} passed @param {number} failed */
function closing(passed, failed) {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
