/**
 * Loaded before everything else (`node --import`), with the name of a mutant in BINNACLE_MUTANT: from then on the modules that it names are read with its
 * mistake in them. Nothing on disk is touched.
 */
import { register } from 'node:module'
import { MUTANTS } from './mutants.mjs'

const name = process.env.BINNACLE_MUTANT
if (name !== undefined) {
  const mutant = MUTANTS.find((each) => each.name === name)
  if (!mutant)
    throw new RangeError(`No mutant is called "${name}". There are: ${MUTANTS.map((each) => each.name).join(', ')}`)
  register('./mutation-hooks.mjs', import.meta.url, { data: mutant.edits })
}
