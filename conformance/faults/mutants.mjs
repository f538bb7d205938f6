/**
 * The framework with one thing wrong at a time: what a campaign of faults is worth is how many of these it catches.
 * Each names the text that it replaces in what was built, and who is expected to catch it. Text that is not found exactly once is an error, so
 * that the list cannot fall behind the code.
 * @typedef {object} Edit
 * @property {string} module below packages/
 * @property {string} from
 * @property {string} to
 * @typedef {object} Mutant
 * @property {string} name
 * @property {string} flaw what a user would meet
 * @property {readonly Edit[]} edits
 * @property {string} scenario who catches it
 * @property {string} fault the fault under which it shows, or its beginning; 'none' where the undisturbed run shows it
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HANDLING } from './mutants-of-handling.mjs'
import { WATCHING } from './mutants-of-watching.mjs'
import { WRITING } from './mutants-of-writing.mjs'

/** @type {readonly Mutant[]} */
export const MUTANTS = [...WATCHING, ...HANDLING, ...WRITING]

const PACKAGES = new URL('../../packages/', import.meta.url)

/** What is wrong with the list itself. @param {readonly Mutant[]} mutants @returns {readonly string[]} */
export function stale(mutants = MUTANTS) {
  return mutants.flatMap(({ name, edits }) =>
    edits.flatMap(({ module, from }) => {
      const times = readFileSync(fileURLToPath(new URL(module, PACKAGES)), 'utf8').split(from).length - 1
      return times === 1 ? [] : [`${name}: its text is ${times} times in packages/${module}, not once: ${from}`]
    }),
  )
}

/** A module's text with the mistake in it. @param {string} source @param {readonly Edit[]} edits */
export function mutated(source, edits) {
  return edits.reduce((text, { from, to }) => {
    if (text.split(from).length !== 2) throw new RangeError(`The text of a mutant is not in the module: ${from}`)
    return text.replace(from, () => to)
  }, source)
}
