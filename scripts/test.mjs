/**
 * Runs every test that needs npm alone, and closes with "N passed, N failed" alone on the last line.
 *
 *     npm test                          everything
 *     npm test -- packages/core         the files whose path contains this
 *     npm test -- -t 'sentence'         the tests whose name contains this; any other option of vitest works too
 */
import { closingLine, runVitest, showFailures } from './vitest-run.mjs'

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))

// Virtual time is the quickest world; `npm run test:real` tells the same stories over HTTP and on a real server.
const counts = await runVitest(process.argv.slice(2), { BINNACLE_WORLD: 'virtual', BINNACLE_KUBECONFIG: undefined })
showFailures(counts)
console.log(closingLine(counts))
process.exitCode = counts.failed === 0 ? 0 : 1
