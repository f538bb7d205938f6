/** Reports as tables: what a campaign says. */
import { CATALOGUE } from '@binnacle/testing'

/** @typedef {import('./worker.mjs').Report} Report */

const BAD = /** @type {const} */ (['notConverged', 'lost', 'twice', 'leakedFinalizers', 'leakedTasks'])

/** Judgements as people read them. @type {Readonly<Record<typeof BAD[number], string>>} */
const WORDS = {
  notConverged: 'not converged',
  lost: 'lost',
  twice: 'run twice',
  leakedFinalizers: 'leaked finalizers',
  leakedTasks: 'leaked tasks',
}

const SEVERAL = 'several at once'

/** One row for each fault. @param {readonly Report[]} reports @returns {readonly string[]} */
export function campaignTable(reports) {
  const rows = [['fault', 'runs', 'struck', ...Object.values(WORDS), 'p99 recovery']]
  for (const name of [...CATALOGUE.map((fault) => fault.name), SEVERAL]) {
    const own = reports.filter((report) => rowOf(report) === name)
    if (own.length > 0) rows.push([name, ...figuresOf(own)])
  }
  rows.push(['all', ...figuresOf(reports)])
  return aligned(rows)
}

/** @param {Report} report */
function rowOf({ faults }) {
  return faults.length === 1 ? faults[0] : SEVERAL
}

/** @param {readonly Report[]} reports */
function figuresOf(reports) {
  const times = reports.map(({ recovery }) => recovery).sort((a, b) => a - b)
  const p99 = times[Math.min(times.length - 1, Math.floor(times.length * 0.99))] ?? 0
  const struck = reports.filter(({ strikes }) => strikes > 0).length
  const bad = BAD.map((kind) => reports.filter(({ verdict }) => verdict[kind].length > 0).length)
  return [...[reports.length, struck, ...bad].map(String), `${p99.toFixed(1)} s`]
}

/** What was found to be wrong, in a word. @param {Report} report */
export function judgement({ verdict }) {
  return BAD.filter((kind) => verdict[kind].length > 0)
    .map((kind) => WORDS[kind])
    .join(', ')
}

/** The first column to the left, figures to the right. @param {readonly (readonly string[])[]} rows @param {number} [words] columns of words */
export function aligned(rows, words = 1) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column < words ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}
