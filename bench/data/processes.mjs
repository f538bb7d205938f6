/** Servers and contenders, each in a process of its own. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** @typedef {import('../bench.mjs').Figures} Figures */

/** @param {object} given @returns {Promise<{ readonly url: string, reset(): Promise<void>, stop(): void }>} */
export async function startApi(given) {
  const file = fileURLToPath(new URL('./api.mjs', import.meta.url))
  const child = spawn(process.execPath, ['--max-old-space-size=4000', file, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await once(child.stdout, 'data')
  const url = `http://127.0.0.1:${Number(String(line))}`
  return { url, reset: async () => void (await fetch(`${url}/reset`)).body?.cancel(), stop: () => child.kill() }
}

/** Seconds after which a contender is given up: none of them takes a third of it on two cores. */
const PATIENCE = 300

/**
 * Runs a program whose last line is its figures as JSON. What it says of its progress, on the other channel, is shown.
 * @param {string} command @param {readonly string[]} args @returns {Promise<Figures>}
 */
export async function figuresOf(command, args) {
  const running = promisify(execFile)(command, args, { maxBuffer: 1 << 26, timeout: PATIENCE * 1000 })
  running.child.stderr?.pipe(process.stderr)
  const { stdout } = await running
  const line = stdout.split('\n').findLast((text) => text.startsWith('{'))
  if (line === undefined) throw new Error(`${command} ${args[0]} printed no figures`)
  return JSON.parse(line)
}
