// The rim of the tour: arguments, the terminal, and signals. `npm start` and `npm start -- --exit` end up here.
import { explain } from 'binnacle'
import { tour } from './tour.ts'

const USAGE = `Usage: npm start [-- --exit]

Shows the hello-world operator at work on an embedded cluster.

  --exit   end by itself once the sample object is created, updated, deleted and gone
  --help   this text`

const known = new Set(['--exit', '--help'])
const args = process.argv.slice(2)
const unknown = args.find((arg) => !known.has(arg))

if (unknown !== undefined) {
  process.stderr.write(`npm start does not know ${unknown}\n\n${USAGE}\n`)
  process.exitCode = 2
} else if (args.includes('--help')) {
  process.stdout.write(`${USAGE}\n`)
} else {
  await run()
}

async function run(): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  try {
    await tour({
      exit: args.includes('--exit'),
      signal: stop.signal,
      write: (line) => void process.stdout.write(`${line}\n`),
      color: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
    })
  } catch (error) {
    if (stop.signal.aborted) return
    process.stderr.write(`${explain(error)}\n`)
    process.exitCode = 1
  }
}
