/**
 * Rounds that alternate between the contenders, so that a busy machine is unfair to all of them alike.
 *
 * Guarantees: what was measured is on disk before the next program starts, so that an interrupted run can be resumed; a contender that fails is said so, and
 * the others go on; no round begins after the budget is spent.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheHome } from './home.mjs'

/** @typedef {import('./bench.mjs').Bench} Bench */
/** @typedef {{ [contender: string]: import('./bench.mjs').Measured[] }} Rounds */
/**
 * @typedef {object} MeasureOptions
 * @property {string} id the bench's, as `cache sync`
 * @property {number} rounds
 * @property {number} budget seconds after which no round begins
 * @property {boolean} quick
 * @property {boolean} resume goes on with what an interrupted run has left
 * @property {(text: string) => void} say
 */

/** @param {string} id @param {boolean} quick */
const partialFile = (id, quick) =>
  join(cacheHome(), 'partial', `${id.replaceAll(' ', '-')}${quick ? '-quick' : ''}.json`)

/** @param {Bench} bench @param {MeasureOptions} options @returns {Rounds} */
function begun(bench, { id, quick, resume }) {
  const names = Object.keys(bench.contenders)
  const file = partialFile(id, quick)
  const left = resume && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const fits = left.title === bench.name && left.node === process.version
  return Object.fromEntries(names.map((name) => [name, fits ? (left.rounds[name] ?? []) : []]))
}

/** @param {Bench} bench @param {Rounds} rounds @param {MeasureOptions} options */
function keep(bench, rounds, { id, quick }) {
  const file = partialFile(id, quick)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ title: bench.name, node: process.version, rounds }))
}

/** @param {Bench} bench @param {MeasureOptions} options @returns {Promise<Rounds>} */
export async function measure(bench, options) {
  const { rounds: wanted, budget, say } = options
  const begin = performance.now()
  const seconds = () => (performance.now() - begin) / 1000
  const rounds = begun(bench, options)
  const names = Object.keys(bench.contenders)
  for (let round = 0; round < wanted; round++) {
    if (round > 0 && seconds() > budget) {
      say(`  ${options.id}: its ${Math.round(budget)} s are spent after ${round} of ${wanted} rounds`)
      break
    }
    // Who goes first changes, since whoever does may find a colder machine.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      if ((rounds[name]?.length ?? 0) > round) continue
      rounds[name]?.push(await one(bench, name, `${options.id}, round ${round + 1} of ${wanted}`, options))
      keep(bench, rounds, options)
    }
  }
  return rounds
}

/** @param {Bench} bench @param {string} name @param {string} where @param {MeasureOptions} options */
async function one(bench, name, where, { say }) {
  const begin = performance.now()
  try {
    const figures = (await bench.contenders[name]?.()) ?? {}
    say(`  ${where}: ${name} took ${((performance.now() - begin) / 1000).toFixed(1)} s`)
    return figures
  } catch (error) {
    say(`  ${where}: ${name} FAILED: ${error instanceof Error ? error.message.trim().slice(0, 500) : error}`)
    return {}
  }
}

/** @param {string} id @param {boolean} quick */
export function forgetPartial(id, quick) {
  rmSync(partialFile(id, quick), { force: true })
}
