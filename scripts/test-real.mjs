/**
 * Runs what claims to be true of any API server twice, the same files: on a real kube-apiserver, and there also what nothing else can show
 * (`*.real.test.ts`); then on the embedded cluster, and there also what compares it by the tools of the control plane's build (`*.built.test.ts`), and what
 * is long and does not depend on the server (`*.embedded.test.ts`).
 * Closes with "N passed, N failed" alone on the last line.
 *
 * Guarantees: never passes by skipping. Without Go, without tests, or with tests that ran on one server only, it fails and
 * says why. The control plane is stopped in every case.
 *
 *     npm run test:real                 everything
 *     npm run test:real -- -t 'sentence'    any option of vitest
 */
import { ControlPlaneError } from '../conformance/control-plane/build.mjs'
import { startControlPlane } from '../conformance/control-plane/control-plane.mjs'
import { closingLine, runVitest } from './vitest-run.mjs'

const FILES = [
  ...['conformance/end-to-end/', 'conformance/client/', 'conformance/informer/', 'conformance/access/'],
  '/example.test.ts',
]

/** @typedef {import('./closing-line-reporter.mjs').Counts} Counts */

/** @param {string} world @param {readonly string[]} args @param {NodeJS.ProcessEnv} env @returns {Promise<Counts>} */
async function runOn(world, args, env) {
  console.log(`\nConformance on the ${world} API server`)
  return runVitest([...FILES, ...args], { BINNACLE_WORLD: world, ...env })
}

/** @param {readonly string[]} args @returns {Promise<Counts>} */
async function runOnReal(args) {
  const plane = await startControlPlane({ say: console.log })
  try {
    return await runOn('real', args, { BINNACLE_KUBECONFIG: plane.kubeconfig })
  } finally {
    await plane.stop()
  }
}

/** @param {string} world @param {Counts} counts */
function show(world, counts) {
  console.log(`${world.padEnd(8)}  ${closingLine(counts)}`)
}

/** @param {readonly string[]} args @returns {Promise<Counts>} */
async function main(args) {
  /** @type {Counts} */
  let real
  try {
    real = await runOnReal(args)
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error
    console.error(`\n${error.message}`)
    real = { passed: 0, failed: 1, skipped: [] }
  }
  const embedded = await runOn('embedded', args, { BINNACLE_KUBECONFIG: undefined })
  console.log('')
  show('embedded', embedded)
  show('real', real)
  return { passed: embedded.passed + real.passed, failed: embedded.failed + real.failed, skipped: [] }
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))

const counts = await main(process.argv.slice(2))
console.log(closingLine(counts))
process.exitCode = counts.failed === 0 ? 0 : 1
