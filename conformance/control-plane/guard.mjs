/**
 * Outlives whoever started a control plane, for as long as it takes to clean up after him.
 *
 * Guarantees: when the starter is gone, in whatever way (exit, error, SIGINT, SIGTERM, SIGKILL), every process that he
 * told of and did not take back is killed, and the temporary directory is removed. Nothing else is touched.
 * Assumes: standard input is a pipe from the starter. It carries "+pid" and "-pid" lines; its end is the starter's end.
 *
 *     node guard.mjs [temporary directory]
 */
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** @type {Set<number>} */
const pids = new Set()

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const pid = Number(line.slice(1))
  if (line.startsWith('+')) pids.add(pid)
  else pids.delete(pid)
})
lines.on('close', () => {
  for (const pid of pids) kill(pid)
  const directory = process.argv[2]
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

/** @param {number} pid */
function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It was gone before us, which is all we wanted.
  }
}

// The starter's terminal sends Ctrl-C to everybody in it; the guard leaves by one door only, the end of its input.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(signal, () => {})
