/** An operator under churn for ten minutes: what grows, and what does not. Reaches are in bench/reach.json. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from '../statistics.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {Record<'seconds' | 'heapMB' | 'sockets' | 'timers' | 'lagMs', number[]>} Series */

export const names = ['churn']

const USERS = 32
/** @param {string} name */
const path = (name) => fileURLToPath(new URL(name, import.meta.url))

/** What the second half has more than the first, at most; the start is left out. @param {readonly number[]} values */
function growth(values) {
  const settled = values.slice(Math.ceil(values.length / 10))
  const half = settled.length >> 1
  return Math.max(...settled.slice(half)) - Math.max(...settled.slice(0, half))
}

/** Between the second and the last tenth. @param {readonly number[]} values */
function medianGrowth(values) {
  const tenth = Math.max(1, Math.floor(values.length / 10))
  return median(values.slice(-2 * tenth)) - median(values.slice(tenth, 3 * tenth))
}

/** @param {number} seconds */
async function churn(seconds) {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-soak-'))
  const kubeconfig = join(directory, 'kubeconfig')
  const cluster = spawn(process.execPath, [path('cluster.mjs'), String(seconds), String(USERS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: cluster.stdout })[Symbol.asyncIterator]()
  const nextLine = async () => JSON.parse((await lines.next()).value ?? '{}')
  try {
    writeFileSync(kubeconfig, (await nextLine()).kubeconfig, { mode: 0o600 })
    const args = ['--expose-gc', path('operator.mjs'), String(Math.max(1, seconds / 120))]
    const env = { ...process.env, KUBECONFIG: kubeconfig }
    const operator = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    // Without an operator the users would wait for ever.
    const died = once(operator, 'exit').then(([code]) => Promise.reject(new Error(`the operator ended with ${code}`)))
    died.catch(() => {})
    const said = createInterface({ input: operator.stdout })[Symbol.asyncIterator]()
    await sleep(2000)
    cluster.stdin?.write('go\n')
    const done = await Promise.race([nextLine(), died])
    operator.kill('SIGTERM')
    const seen = JSON.parse((await said.next()).value ?? '{}')
    if (operator.exitCode === null) await once(operator, 'exit')
    return figuresOf(done, seen)
  } finally {
    cluster.kill('SIGKILL')
    rmSync(directory, { recursive: true })
  }
}

/** @param {any} done @param {{ series: Series, leftBehind: number }} seen */
function figuresOf(done, { series, leftBehind }) {
  return {
    'changes per second': done.perSecond,
    changes: done.changes,
    'p50 ms from a change to its status': done.p50,
    'p99 ms from a change to its status': done.p99,
    'broken watches': done.breaks,
    'of these with 410': done.forgotten,
    'objects left': done.left,
    'heap growth MB': medianGrowth(series.heapMB),
    'heap MB at most': Math.max(...series.heapMB),
    'sockets at most': Math.max(...series.sockets),
    'socket growth': growth(series.sockets),
    'timers at most': Math.max(...series.timers),
    'timer growth': growth(series.timers),
    'lag ms (p99 of each look)': median(series.lagMs),
    'left behind after the end': leftBehind,
    series,
  }
}

/** @param {string} _ @param {import('../bench.mjs').OpenOptions} options @returns {Promise<Bench>} */
export async function open(_, { quick }) {
  const seconds = Number(process.env['BINNACLE_SOAK_SECONDS'] ?? (quick ? 60 : 600))
  return {
    name: `${seconds / 60} minutes of creations, edits and deletions by ${USERS} users, with broken watches and 410`,
    contenders: { ours: () => churn(seconds) },
    rounds: 1,
    close: async () => {},
  }
}
