/**
 * Runs the same test files on a real kube-apiserver, and then on the embedded cluster.
 *
 * Guarantees: never passes by skipping. Without Go, without tests, or with tests that ran on one server only, it fails and
 * says why. The control plane is stopped in every case. Closes with "N passed, N failed" for each server, and for both alone on the last line.
 */
import { ControlPlaneError } from '../conformance/control-plane/build.mjs'
import { startControlPlane } from '../conformance/control-plane/control-plane.mjs'
import { closingLine, runVitest, showFailures } from './vitest-run.mjs'

/** @typedef {import('./closing-line-reporter.mjs').Counts} Counts */

/** @param {string} world @param {readonly string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<Counts>} */
async function runOn(world, args, env) {
  console.log(`\nConformance on the ${world} API server`)
  return runVitest(args, { BINNACLE_WORLD: world, ...env })
}

/** @param {readonly string[]} args @returns {Promise<Counts>} */
async function runOnReal(args) {
  const plane = await startControlPlane({ say: console.log })
  try {
    return await runOn('real', args, { BINNACLE_KUBECONFIG: plane.kubeconfig, BINNACLE_ETCD_URL: plane.etcdUrl })
  } finally {
    await plane.stop()
  }
}

/** @param {string} world @param {Counts} counts */
function show(world, counts) {
  console.log(`${world.padEnd(8)}  ${closingLine(counts)}`)
}

/** @param {readonly string[]} args @returns {Promise<{ passed: number, failed: number }>} */
async function runOnBoth(args) {
  /** @type {Counts} */
  let real
  try {
    real = await runOnReal(args)
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error
    console.error(`\n${error.message}`)
    real = { passed: 0, failed: 1, skipped: [], failures: [] }
  }
  const embedded = await runOn('embedded', args, { BINNACLE_KUBECONFIG: undefined, BINNACLE_ETCD_URL: undefined })
  showFailures(real, 'the real server')
  showFailures(embedded, 'the embedded cluster')
  console.log('')
  show('embedded', embedded)
  show('real', real)
  return { passed: embedded.passed + real.passed, failed: embedded.failed + real.failed }
}

/** Runs the files on both, says how it went, and sets the exit code. @param {readonly string[]} files @param {readonly string[]} args for vitest */
export async function testBothServers(files, args) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))
  const counts = await runOnBoth([...files, ...args])
  console.log(closingLine(counts))
  process.exitCode = counts.failed === 0 ? 0 : 1
}
