/** What each figure shall be: bench/reach.json. */
import { readFileSync } from 'node:fs'

/** @typedef {import('./bench.mjs').Reach} Reach */

/** @type {{ readonly check: readonly string[], readonly reaches: { readonly [bench: string]: readonly Reach[] } }} */
const { check, reaches } = JSON.parse(readFileSync(new URL('reach.json', import.meta.url), 'utf8'))

/** Those of the file, and what the bench itself brings beside them. @param {string} bench @param {readonly Reach[]} [own] @returns {readonly Reach[]} */
export function reachesOf(bench, own = []) {
  const known = reaches[bench] ?? []
  const isKnown = (/** @type {Reach} */ { figure, peer }) =>
    known.some((each) => each.figure === figure && each.peer === peer)
  return [...known, ...own.filter((each) => !isKnown(each))]
}

/** The benches that CI asks for. */
export const checkedBenches = () => check
