/** What each figure shall be: bench/reach.json. */
import { readFileSync } from 'node:fs'

/** @typedef {import('./bench.mjs').Reach} Reach */

/** @type {{ readonly check: readonly string[], readonly reaches: { readonly [bench: string]: readonly Reach[] } }} */
const { check, reaches } = JSON.parse(readFileSync(new URL('reach.json', import.meta.url), 'utf8'))

/** Undefined where the bench brings its own. @param {string} bench @returns {readonly Reach[] | undefined} */
export const reachesOf = (bench) => reaches[bench]

/** The benches that CI asks for. */
export const checkedBenches = () => check
