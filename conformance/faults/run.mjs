/**
 * Every scenario under every fault, at every place where it can strike; then several faults at once, drawn from seeds.
 *
 *     npm run faults                           all of it: at least 10,000 runs
 *     npm run faults -- --seeds 500            so many drawn plans for each scenario
 *     npm run faults -- --only watch           faults, or scenarios, whose name begins so
 *     npm run faults -- --replay 7:lose-response@3 --only 'create with'
 *
 * Prints a table by fault. Ends with code 1 if a bad column is not zero; each failing run prints the command that replays it alone.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { CATALOGUE, parsePlan, placesInWords, plans, printPlan, reference } from '@binnacle/testing'
import { SCENARIOS } from './scenarios.mjs'

/** @typedef {import('./worker.mjs').Report} Report */
/** @typedef {{ readonly scenario: number, readonly plan: string }} Job */

const SEED = 1
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1200' },
    only: { type: 'string' },
    replay: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const scenarioNames = SCENARIOS.map(({ name }) => name)
const only = values.only
const scenarios = SCENARIOS.filter(({ name }) => !only || name.startsWith(only))
const onlyFaults = only !== undefined && scenarios.length === 0 ? [only] : undefined
const chosen = scenarios.length > 0 ? scenarios : SCENARIOS

if (values.help) {
  console.log('npm run faults -- [--seeds N] [--only NAME] [--replay SEED:PLAN]')
  console.log(`scenarios: ${scenarioNames.join(', ')}\nfaults: ${CATALOGUE.map(({ name }) => name).join(', ')}`)
  process.exit(0)
}
if (onlyFaults && !CATALOGUE.some(({ name }) => name.startsWith(onlyFaults[0] ?? ''))) {
  console.error(
    `Nothing is called "${only}". Scenarios: ${scenarioNames.join(', ')}. Faults: ${CATALOGUE.map(({ name }) => name).join(', ')}.`,
  )
  process.exit(2)
}

/** @returns {Promise<Job[]>} */
async function jobsOf() {
  const jobs = []
  for (const scenario of chosen) {
    const number = SCENARIOS.indexOf(scenario)
    if (values.replay !== undefined) {
      jobs.push({ scenario: number, plan: printPlan(parsePlan(values.replay)) })
      continue
    }
    const against = await reference(scenario, SEED)
    const options = { random: Number(values.seeds), ...(onlyFaults && { only: onlyFaults }) }
    const planned = [...plans(against, SEED, options)].map((plan) => ({ scenario: number, plan: printPlan(plan) }))
    console.log(`${scenario.name}: ${placesInWords(against.aftermath)}; ${planned.length} runs`)
    jobs.push(...planned)
  }
  return jobs
}

/** @param {Job[]} jobs @param {(report: Report) => void} tell */
async function shared(jobs, tell) {
  let next = 0
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = fork(fileURLToPath(new URL('worker.mjs', import.meta.url)), { stdio: 'inherit' })
      const give = () => {
        if (next < jobs.length) worker.send(/** @type {Job} */ (jobs[next++]))
        else worker.disconnect()
      }
      worker.on('message', (report) => {
        tell(/** @type {Report} */ (report))
        give()
      })
      worker.on('exit', (code) =>
        code === 0 ? resolve(undefined) : reject(new Error(`A worker ended with code ${code}`)),
      )
      give()
    })
  await Promise.all(Array.from({ length: availableParallelism() }, work))
}

const BAD = /** @type {const} */ (['notConverged', 'lost', 'twice', 'leakedFinalizers', 'leakedTasks'])

/** @param {readonly Report[]} reports */
function table(reports) {
  const rows = [['fault', 'runs', 'struck', 'not converged', 'lost', 'twice', 'finalizers', 'tasks', 'p99 recovery']]
  for (const name of [...CATALOGUE.map((fault) => fault.name), 'several at once']) {
    const own = reports.filter(({ faults }) => (faults.length === 1 ? faults[0] === name : name === 'several at once'))
    if (own.length === 0) continue
    const times = own.map(({ recovery }) => recovery).sort((a, b) => a - b)
    const p99 = times[Math.min(times.length - 1, Math.floor(times.length * 0.99))] ?? 0
    const counts = BAD.map((kind) => String(own.filter(({ verdict }) => verdict[kind].length > 0).length))
    rows.push([
      name,
      String(own.length),
      String(own.filter(({ strikes }) => strikes > 0).length),
      ...counts,
      `${p99.toFixed(1)} s`,
    ])
  }
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}

const began = performance.now()
const jobs = await jobsOf()
/** @type {Report[]} */
const reports = []
let shown = 0
await shared(jobs, (report) => {
  reports.push(report)
  if (report.bad) {
    console.error(`\n${SCENARIOS[report.scenario]?.name}\n${report.message}`)
    console.error(
      `Again, alone: npm run faults -- --only '${SCENARIOS[report.scenario]?.name}' --replay ${report.plan}`,
    )
  }
  if (process.stderr.isTTY && reports.length - shown >= 100) {
    shown = reports.length
    process.stderr.write(`\r${shown} of ${jobs.length}`)
  }
})
const seconds = (performance.now() - began) / 1000
const bad = reports.filter((report) => report.bad).length
console.log(`\n${table(reports).join('\n')}`)
console.log(`\n${reports.length} runs in ${seconds.toFixed(0)} s on ${availableParallelism()} cores, ${bad} bad`)
if (bad === 0)
  console.log(
    `No failure in ${reports.length} runs: at most ${((3 / reports.length) * 100).toFixed(3)} % fail, with a confidence of 95 %.`,
  )
process.exitCode = bad === 0 ? 0 : 1
