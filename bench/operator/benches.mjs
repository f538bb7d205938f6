/**
 * An operator end to end: many objects are created, updated and deleted while it runs, or are there when it starts. One program in Go does that to each contender in
 * turn, on one kube-apiserver, and measures from the request to the moment when the status can be seen by a watch.
 *
 * What decides the figures: the number of requests per object (etcd syncs each of them), and the time of the operator's process for each object.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startControlPlane } from '../../conformance/control-plane/control-plane.mjs'
import { kopfPython } from '../data/kopf.mjs'
import { Lacking } from '../home.mjs'
import { goProgram, kubeRs } from './peers.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */
/** @typedef {readonly [command: string, ...args: string[]]} Command */

/** Longer than any contender takes. */
const TOO_LONG_MS = 900_000

const file = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
/** How many objects, unless BINNACLE_BENCH_OBJECTS says so. @param {boolean} quick */
const countOf = (quick) => Number(process.env['BINNACLE_BENCH_OBJECTS'] ?? (quick ? 200 : 2000))

/** What each bench does, and with what each contender is started. `inStatus`: ours is measured once more, with its state in the status. */
const BENCHES = {
  running: { flags: [], operator: [], inStatus: true },
  existing: { flags: ['-variant', 'existing', '-phases', 'create'], operator: [], inStatus: false },
  paced: { flags: ['-phases', 'create', '-rate', '20'], operator: [], inStatus: true, objects: 400 },
  finalizer: { flags: [], operator: ['--finalizer'], inStatus: false },
  embedded: { flags: [], operator: [], inStatus: false },
  /** Ours alone, for what can be counted. */
  counts: { flags: [], operator: [], inStatus: true, objects: 200 },
}
/** @typedef {keyof typeof BENCHES} Name */
export const names = Object.keys(BENCHES)

/**
 * @typedef {object} Driven what the driver prints
 * @property {{ ms: number, p50: number, p99: number, requestsPerObject: number, requests: Record<string, number>, cpuS: { operator: number }, unhandled?: number }} [create]
 * @property {Driven['create']} [update]
 * @property {Driven['create']} [delete]
 * @property {number} peakRssMB
 */

/** Watches that have ended. The driver has one too, and a server that has just learnt of a kind ends those of it; they are none of the requests for objects. @param {Record<string, number>} requests */
const watchesIn = (requests = {}) =>
  Object.entries(requests).reduce((sum, [name, number]) => sum + (name.startsWith('WATCH') ? number : 0), 0)

/** @param {Driven} driven @param {number} count @returns {Figures} */
function figuresOf(driven, count) {
  /** @type {Record<string, number>} */
  const figures = { 'peak MB': driven.peakRssMB }
  let unhandled = 0
  for (const phase of /** @type {const} */ (['create', 'update', 'delete'])) {
    const of = driven[phase]
    if (!of) continue
    figures[`${phase} ms`] = of.ms
    figures[`${phase} p50 ms`] = of.p50
    figures[`${phase} p99 ms`] = of.p99
    figures[`${phase} cpu s`] = of.cpuS.operator
    const watches = watchesIn(of.requests)
    figures[`${phase} requests`] = of.requestsPerObject - watches / count
    figures[`${phase} watches`] = watches
    unhandled += of.unhandled ?? 0
  }
  return { ...figures, unhandled }
}

/** @param {Figures} figures */
const line = (figures) =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${Math.round(value * 100) / 100}`)
    .join(', ')

/** @returns {Promise<{ kubeconfig: string, stop(): Promise<unknown> }>} */
async function embedded() {
  const { Cluster } = await import('@binnacle/cluster')
  const { writeFileSync } = await import('node:fs')
  const cluster = await Cluster.start()
  const dir = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const kubeconfig = join(dir, 'kubeconfig')
  writeFileSync(kubeconfig, cluster.kubeconfig(), { mode: 0o600 })
  return {
    kubeconfig,
    stop: async () => {
      await cluster.stop()
      rmSync(dir, { recursive: true })
    },
  }
}

/** @param {string} name @param {import('../bench.mjs').OpenOptions} options @returns {Promise<Bench>} */
export async function open(name, { quick, check }) {
  const drive = goProgram('drive')
  if (drive === undefined) throw new Lacking('it needs Go: its driver, and the API server, are built with it')
  const bench = BENCHES[/** @type {Name} */ (name)]
  const count = quick || !('objects' in bench) ? countOf(quick) : bench.objects
  const server = name === 'embedded' ? await embedded() : await startControlPlane({ say: console.error })
  const logs = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  return {
    name: `operator ${name}, ${count.toLocaleString('en-US')} objects`,
    // What is counted is the same in every round.
    ...(name === 'counts' && { rounds: 1 }),
    contenders: contenders(/** @type {Name} */ (name), driving({ drive, server, logs, bench, count }), {
      check,
      count,
    }),
    close: async () => {
      await server.stop()
      rmSync(logs, { recursive: true, force: true })
    },
  }
}

/**
 * @param {{ readonly drive: string, readonly server: { readonly kubeconfig: string }, readonly logs: string, readonly bench: (typeof BENCHES)[Name], readonly count: number }} given
 * @returns {(contender: string, command: Command) => Promise<{ figures: Figures, log: string }>}
 */
export function driving({ drive, server, logs, bench, count }) {
  return async (contender, command) => {
    const log = join(logs, 'operator.log')
    const shared = ['-kubeconfig', server.kubeconfig, '-crd', file('crd.yaml'), '-name', contender, '-oplog', log]
    const args = [...shared, '-n', String(count), ...bench.flags, '--', ...command, ...bench.operator]
    const env = { ...process.env, KUBECONFIG: server.kubeconfig }
    const output = await new Promise((resolve, reject) => {
      execFile(drive, args, { env, timeout: TOO_LONG_MS }, (error, stdout, stderr) =>
        error ? reject(new Error(`${contender}: ${stderr}${readFileSync(log, 'utf8').slice(-2000)}`)) : resolve(stdout),
      )
    })
    /** @type {Driven} */
    const driven = JSON.parse(String(output))
    const figures = figuresOf(driven, count)
    console.error(`    ${contender}: ${line(figures)}; create: ${JSON.stringify(driven.create?.requests)}`)
    return { figures, log: readFileSync(log, 'utf8') }
  }
}

/** What our operator says of itself when it ends: calls of handlers for each object, connections that it has made. @param {string} log @param {number} count */
function ownFigures(log, count) {
  const said = JSON.parse(
    log
      .trim()
      .split('\n')
      .findLast((text) => text.startsWith('{"writes"')) ?? '{}',
  )
  // One call was for the driver's first object, which shows that the operator is there.
  return { 'calls per object': (said.calls - 1) / count, connections: said.connections }
}

/**
 * @param {Name} name @param {(contender: string, command: Command) => Promise<{ figures: Figures, log: string }>} run
 * @param {{ readonly check: boolean, readonly count: number }} options
 */
function contenders(name, run, { check, count }) {
  const ours = /** @type {Command} */ ([process.execPath, file('binnacle.mjs')])
  const only = async (/** @type {string} */ contender, /** @type {Command} */ command) =>
    (await run(contender, command)).figures
  const measured = {
    ours: async () => {
      const { figures, log } = await run('ours', ours)
      const own = { ...figures, ...ownFigures(log, count) }
      return BENCHES[name].inStatus ? { ...own, ...(await inStatus()) } : own
    },
  }
  const inStatus = async () => {
    const figures = await only('ours, state in the status', [...ours, '--state', 'status'])
    return Object.fromEntries(Object.entries(figures).map(([figure, value]) => [`in status, ${figure}`, value]))
  }
  if (name === 'embedded' || name === 'counts') return measured
  const [python, rust, go] = [check ? undefined : kopfPython(), check ? undefined : kubeRs(), goProgram('operator')]
  return {
    ...measured,
    ...(python && { kopf: () => only('kopf', [python, file('kopf/kopf_operator.py')]) }),
    ...(rust && { 'kube-rs': () => only('kube-rs', [rust]) }),
    ...(go && { 'controller-runtime': () => only('controller-runtime', [go, '-workers', '10']) }),
  }
}
