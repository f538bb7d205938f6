/**
 * Runs what claims to be true of any API server twice, the same files: on a real kube-apiserver, and there also what nothing else can show
 * (`*.real.test.ts`); then on the embedded cluster, and there also what compares it by the tools of the control plane's build (`*.built.test.ts`), and what
 * is long and does not depend on the server (`*.embedded.test.ts`).
 * Closes with "N passed, N failed" alone on the last line.
 *
 *     npm run test:real                 everything
 *     npm run test:real -- -t 'sentence'    any option of vitest
 */
import { testBothServers } from './both-servers.mjs'

const FILES = [
  ...['conformance/end-to-end/', 'conformance/client/', 'conformance/informer/', 'conformance/access/'],
  ...['conformance/cluster/', '/example.test.ts', 'examples/commands'],
]

await testBothServers(FILES, process.argv.slice(2))
