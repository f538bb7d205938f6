import { tmpdir } from 'node:os'
import { systemClock } from '@binnacle/core'
import type { Io } from './io.ts'
import { main } from './main.ts'

/** The rim: the only file that touches the process. */
const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  temp: tmpdir(),
  signals: process,
  clock: systemClock,
  exit: (code) => process.exit(code),
  atExit: (callback) => {
    process.once('exit', callback)
    return () => process.off('exit', callback)
  },
  import: (url) => import(url),
}

// A reader that has gone away (`binnacle cluster | head -1`) is no reason for a stack.
for (const output of [process.stdout, process.stderr]) {
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
// Stacks show the lines of the user's TypeScript.
process.setSourceMapsEnabled(true)

// An operator that watches nothing, or waits for the user's own code, has nothing else that keeps the process.
const life = setInterval(() => {}, 2 ** 31 - 1)
const code = await main(process.argv.slice(2), io)
// What a user's file has left open must not keep the process; what was written must arrive first.
await Promise.all([process.stdout, process.stderr].map((output) => new Promise((done) => output.write('', done))))
clearInterval(life)
process.exit(code)
