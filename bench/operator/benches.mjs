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
import { goProgram, kopf, kubeRs } from './peers.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */
/** @typedef {readonly [command: string, ...args: string[]]} Command */

const file = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url))
const N = Number(process.env['BINNACLE_BENCH_OBJECTS'] ?? 2000)

/** What each bench does, and with what each contender is started. */
const BENCHES = {
  running: { flags: [], operator: [] },
  finalizer: { flags: [], operator: ['--finalizer'] },
  existing: { flags: ['-variant', 'existing', '-phases', 'create'], operator: [] },
  paced: { flags: ['-phases', 'create', '-rate', '20', '-n', '400'], operator: [] },
  embedded: { flags: [], operator: [] },
}
/** @typedef {keyof typeof BENCHES} Name */
export const names = Object.keys(BENCHES)

/** @param {string} phase */
const changed = (phase) => [
  { figure: `${phase} ms`, peer: 'kube-rs', atMost: 1.2 },
  { figure: `${phase} ms`, peer: 'kopf', atMost: 0.6 },
  { figure: `${phase} p99 ms`, peer: 'kopf', atMost: 0.5 },
  { figure: `${phase} cpu s`, peer: 'kopf', atMost: 0.4 },
  { figure: `${phase} cpu s`, peer: 'controller-runtime', atMost: 1.3 },
  { figure: `${phase} requests`, atMost: 2.05 },
]
const CHANGES = [...changed('create'), ...changed('update'), { figure: 'peak MB', peer: 'kopf', atMost: 1.3 }]
/** @type {{ readonly [name in Name]: readonly import('../bench.mjs').Reach[] }} */
const REACHES = {
  running: [...CHANGES, { figure: 'in status, create requests', atMost: 1.05 }],
  finalizer: [{ figure: 'peak MB', peer: 'kopf', atMost: 1.3 }],
  existing: [
    { figure: 'create ms', peer: 'kopf', atMost: 0.6 },
    { figure: 'peak MB', peer: 'kopf', atMost: 0.5 },
  ],
  paced: [
    { figure: 'create p50 ms', peer: 'controller-runtime', atMost: 1.3 },
    { figure: 'create p99 ms', peer: 'controller-runtime', atMost: 1.3 },
  ],
  embedded: [
    { figure: 'create unhandled', atMost: 0 },
    { figure: 'calls per object', atMost: 2.01 },
  ],
}

/**
 * @typedef {object} Driven what the driver prints
 * @property {{ ms: number, p50: number, p99: number, requestsPerObject: number, cpuS: { operator: number }, unhandled?: number }} [create]
 * @property {Driven['create']} [update]
 * @property {Driven['create']} [delete]
 * @property {number} peakRssMB
 */

/** @param {Driven} driven @returns {Figures} */
function figuresOf(driven) {
  /** @type {Record<string, number>} */
  const figures = { 'peak MB': driven.peakRssMB }
  for (const phase of /** @type {const} */ (['create', 'update', 'delete'])) {
    const of = driven[phase]
    if (!of) continue
    figures[`${phase} ms`] = of.ms
    figures[`${phase} p50 ms`] = of.p50
    figures[`${phase} p99 ms`] = of.p99
    figures[`${phase} cpu s`] = of.cpuS.operator
    figures[`${phase} requests`] = of.requestsPerObject
    figures[`${phase} unhandled`] = of.unhandled ?? 0
  }
  return figures
}

/** @param {Figures} figures */
const line = (figures) =>
  Object.entries(figures)
    .filter(([name, value]) => !name.endsWith('unhandled') || value > 0)
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

/** @param {string} name @returns {Promise<Bench>} */
export async function open(name) {
  const drive = goProgram('drive')
  if (drive === undefined)
    throw new Error('The bench of operators needs Go: its driver, and the API server, are built with it')
  const { flags, operator } = BENCHES[/** @type {Name} */ (name)]
  const server = name === 'embedded' ? await embedded() : await startControlPlane({ say: console.log })
  const logs = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  /** @param {string} contender @param {Command} command */
  const run = async (contender, command) => {
    const log = join(logs, 'operator.log')
    const shared = ['-kubeconfig', server.kubeconfig, '-crd', file('crd.yaml'), '-name', contender, '-oplog', log]
    const args = [...shared, '-n', String(N), ...flags, '--', ...command, ...operator]
    const output = await new Promise((resolve, reject) => {
      execFile(drive, args, { env: { ...process.env, KUBECONFIG: server.kubeconfig } }, (error, stdout, stderr) =>
        error ? reject(new Error(`${contender}: ${stderr}${readFileSync(log, 'utf8').slice(-2000)}`)) : resolve(stdout),
      )
    })
    const figures = figuresOf(JSON.parse(String(output)))
    console.log(`  ${contender}: ${line(figures)}`)
    return { figures, log: readFileSync(log, 'utf8') }
  }
  return {
    name: `operator ${name}, ${flags.includes('-n') ? flags.at(-1) : N} objects`,
    contenders: contenders(/** @type {Name} */ (name), run),
    reaches: REACHES[/** @type {Name} */ (name)],
    close: async () => {
      await server.stop()
      rmSync(logs, { recursive: true, force: true })
    },
  }
}

/** @param {Name} name @param {(contender: string, command: Command) => Promise<{ figures: Figures, log: string }>} run */
function contenders(name, run) {
  const ours = /** @type {Command} */ ([process.execPath, file('binnacle.mjs')])
  const only = async (/** @type {string} */ contender, /** @type {Command} */ command) =>
    (await run(contender, command)).figures
  if (name === 'embedded') {
    return {
      ours: async () => {
        const { figures, log } = await run('ours', ours)
        const { writes, calls } = JSON.parse(log.trim().split('\n').at(-1) ?? '{}')
        console.log(
          `  ours: ${writes / N} writes and ${calls / N} calls per object, in a life of creation, update and deletion`,
        )
        return { ...figures, 'calls per object': calls / N }
      },
    }
  }
  const [python, rust, go] = [kopf(), kubeRs(), goProgram('operator')]
  return {
    ours: async () => {
      const figures = await only('ours', ours)
      if (name !== 'running') return figures
      const inStatus = await only('ours, state in the status', [...ours, '--state', 'status'])
      return { ...figures, 'in status, create requests': inStatus['create requests'] ?? Number.NaN }
    },
    ...(python && { kopf: () => only('kopf', [python, file('kopf/kopf_operator.py')]) }),
    ...(rust && { 'kube-rs': () => only('kube-rs', [rust]) }),
    ...(go && { 'controller-runtime': () => only('controller-runtime', [go, '-workers', '10']) }),
  }
}
