/**
 * Runs the checklist of the API server (conformance/cluster) on a real kube-apiserver and on the embedded cluster, the same files.
 * Closes with "N passed, N failed" for each of them, and for both alone on the last line.
 *
 *     npm run conformance                   everything
 *     npm run conformance -- -t 'KA75'      any option of vitest
 *
 * Which number of the list is shown where: the ids KA1 to KA156 in the names of the tests, and their meanings in test-ids.json.
 */
import { testBothServers } from './both-servers.mjs'
import { checkTestIds } from './test-ids.mjs'

const missing = (await checkTestIds()).filter((fault) => /\bKA\d/.test(fault))
for (const fault of missing) console.error(fault)
await testBothServers(['conformance/cluster/'], process.argv.slice(2))
if (missing.length > 0) process.exitCode = 1
