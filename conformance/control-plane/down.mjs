/**
 * Stops what up.mjs started in a directory, and nothing else.
 *
 *     node conformance/control-plane/down.mjs <directory>
 */
import { setTimeout as wait } from 'node:timers/promises'
import { runningIn } from './recorded.mjs'

// kube-apiserver waits much longer than this for watches that nobody closes.
const PATIENCE_MS = 5_000

/** @param {string} dir @param {import('./recorded.mjs').Recorded} server */
async function stop(dir, server) {
  const still = () => runningIn(dir).some(({ pid }) => pid === server.pid)
  process.kill(server.pid, 'SIGTERM')
  for (const deadline = Date.now() + PATIENCE_MS; still() && Date.now() < deadline; ) await wait(50)
  if (still()) process.kill(server.pid, 'SIGKILL')
  console.log(`${server.name} (${server.pid}) stopped.`)
}

const [dir] = process.argv.slice(2)
if (dir === undefined) {
  console.error('Usage: down.mjs <directory>')
  process.exitCode = 1
} else {
  for (const running of runningIn(dir).reverse()) await stop(dir, running)
}
