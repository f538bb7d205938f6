/**
 * fast-check, with one seed for all properties: what was green once stays green until the code changes, and CI never fails for a history that
 * nobody has touched. `BINNACLE_SEED=random npm test` looks for new histories, `BINNACLE_SEED=715890040 npm test` goes through those of a seed again.
 */
import fc from '../node_modules/fast-check/lib/fast-check.js'

const { BINNACLE_SEED: wanted = '20261115' } = process.env
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) })

export * from '../node_modules/fast-check/lib/fast-check.js'
export default fc
