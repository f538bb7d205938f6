/**
 * Runs other people's clients, unmodified, against the embedded cluster: kubectl, Kopf, client-go, controller-runtime, kube-rs and client-node. Builds or
 * installs each from its registry first, once, into the cache. Closes with "N passed, N failed" alone on the last line.
 *
 * Guarantees: never passes by leaving a client out. One that cannot be built is a failure that says what is missing.
 *
 *     npm run test:clients              all of them
 *     npm run test:clients -- kopf      the files whose path contains this; any option of vitest works too
 */
import { BuildError, buildClients } from '../conformance/clients/builds.mjs'
import { ControlPlaneError } from '../conformance/control-plane/build.mjs'
import { closingLine, runVitest, showFailures } from './vitest-run.mjs'

/** @param {readonly string[]} args */
async function main(args) {
  try {
    await buildClients(console.log)
  } catch (error) {
    if (!(error instanceof BuildError || error instanceof ControlPlaneError)) throw error
    console.error(`\n${error.message}`)
    return { passed: 0, failed: 1, skipped: [], failures: [] }
  }
  const end = args.findIndex((arg) => arg.startsWith('-'))
  const names = end < 0 ? args : args.slice(0, end)
  const files = (names.length > 0 ? names : ['']).map((name) => `conformance/clients/${name}`)
  return runVitest([...files, ...args.slice(names.length)], {
    BINNACLE_WORLD: 'embedded',
    BINNACLE_KUBECONFIG: undefined,
  })
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))

const counts = await main(process.argv.slice(2))
showFailures(counts)
console.log(closingLine(counts))
process.exitCode = counts.failed === 0 ? 0 : 1
