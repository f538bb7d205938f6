/**
 * What rounds come to, beside what they shall come to. Pure.
 *
 * Guarantees: a ratio is one of the same round; a figure whose peer was not measured is judged by nobody. A check fails only where noise cannot be the
 * cause: counts beyond their bound, ratios that are beyond 1.6 times their reach in every round, or beyond what is tolerated where a reach is known to be missed.
 * Times by themselves are never checked.
 */
import { median, short, spread } from './statistics.mjs'

/** @typedef {import('./bench.mjs').Reach} Reach */
/** @typedef {{ readonly [contender: string]: readonly import('./bench.mjs').Measured[] }} Rounds */
/**
 * @typedef {object} Judged
 * @property {string} figure
 * @property {string | undefined} peer
 * @property {readonly number[]} ours of each round
 * @property {readonly number[] | undefined} theirs
 * @property {readonly number[]} judged ratios of rounds, or our own values where there is no peer
 * @property {number} value the median of it
 * @property {Reach} reach
 * @property {'met' | 'MISSED' | ''} verdict
 */

/** How much worse than its reach a ratio may be before the machine cannot be to blame. */
export const MARGIN = 1.6

/** @param {Rounds} rounds @param {string} contender @param {string} figure @returns {number[]} */
const valuesOf = (rounds, contender, figure) =>
  (rounds[contender] ?? []).map((figures) => (typeof figures[figure] === 'number' ? figures[figure] : Number.NaN))

/** @param {Reach} reach @param {Rounds} rounds @returns {Judged} */
export function judge(reach, rounds) {
  const { figure, peer } = reach
  const ours = valuesOf(rounds, 'ours', figure)
  const theirs = peer === undefined ? undefined : valuesOf(rounds, peer, figure)
  const judged = (theirs ? ours.map((value, round) => value / (theirs[round] ?? Number.NaN)) : ours).filter(
    (value) => !Number.isNaN(value),
  )
  const value = median(judged)
  return { figure, peer, ours, theirs, judged, value, reach, verdict: verdictOf(value, reach) }
}

/** @param {number} value @param {Reach} reach @returns {Judged['verdict']} */
function verdictOf(value, { atLeast, atMost }) {
  if ((atLeast === undefined && atMost === undefined) || Number.isNaN(value)) return ''
  return isWithin(value, atLeast, atMost) ? 'met' : 'MISSED'
}

/** @param {number} value @param {number | undefined} atLeast @param {number | undefined} atMost */
const isWithin = (value, atLeast = -Infinity, atMost = Infinity) => value >= atLeast && value <= atMost

/** @param {Reach} reach */
const kindOf = ({ kind, peer }) => kind ?? (peer === undefined ? 'time' : 'ratio')

/** What a check allows; undefined where it has no say. @param {Reach} reach @returns {{ atLeast?: number, atMost?: number } | undefined} */
export function limitOf(reach) {
  const { atLeast, atMost, tolerated } = reach
  const kind = kindOf(reach)
  if (kind === 'time' || (atLeast === undefined && atMost === undefined)) return undefined
  if (tolerated) return atLeast === undefined ? { atMost: tolerated.value } : { atLeast: tolerated.value }
  const margin = kind === 'count' ? 1 : MARGIN
  return {
    ...(atLeast !== undefined && { atLeast: atLeast / margin }),
    ...(atMost !== undefined && { atMost: atMost * margin }),
  }
}

/** @param {Judged} judged @returns {'passed' | 'failed' | 'left out'} */
export function checked({ reach, value, judged }) {
  const limit = limitOf(reach)
  if (!limit || Number.isNaN(value)) return 'left out'
  // What counts exactly is the same in every round; of what noise can spoil, one round in which it did not is enough.
  const values = kindOf(reach) === 'count' ? [value] : judged
  return values.some((each) => isWithin(each, limit.atLeast, limit.atMost)) ? 'passed' : 'failed'
}

/** @param {Judged} judged @returns {string} why it has failed, in a sentence */
export function complaintOf({ figure, peer, judged, reach }) {
  const limit = limitOf(reach)
  const unit = peer === undefined ? '' : `× ${peer}'s`
  return `${figure} is ${spread(judged)}${unit}; the check allows ${boundText(limit ?? {}, unit)}, the reach is ${boundText(reach, unit)}`
}

/** @param {{ readonly atLeast?: number, readonly atMost?: number }} bound @param {string} unit */
export function boundText({ atLeast, atMost }, unit) {
  if (atLeast === undefined && atMost === undefined) return '–'
  if (atLeast === atMost) return `${short(atMost ?? Number.NaN)}${unit}`
  return atLeast === undefined ? `≤ ${short(atMost ?? Number.NaN)}${unit}` : `≥ ${short(atLeast)}${unit}`
}

/** A row of a table: figure, ours, the peer's, ratio, reach, verdict. @param {Judged} judged */
export function rowOf({ figure, peer, ours, theirs, judged, reach, verdict }) {
  const there = theirs?.some((value) => !Number.isNaN(value))
  return [
    figure,
    spread(ours),
    theirs ? `${peer} ${there ? spread(theirs) : 'left out'}` : '–',
    there ? `${spread(judged)}×` : '–',
    boundText(reach, theirs ? '×' : ''),
    verdict,
  ]
}
