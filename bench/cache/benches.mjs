/** What the cache is measured by. Its reaches are in bench/reach.json. */
import { built, CLIENT_NODE, installed, kubeInformer } from '../peers.mjs'
import { figuresOf, linesOf, nodeProgram, startServer } from '../programs.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */
/** @typedef {import('../bench.mjs').OpenOptions} OpenOptions */
/** @typedef {{ readonly [contender: string]: () => Promise<Figures> }} Contenders */

export const names = ['sync', 'watch', 'costs', 'memory']

/** @param {string} name */
const here = (name) => new URL(name, import.meta.url)

/**
 * Informers on one server: ours, client-node's, client-go's and kube-rs's, and the floor, which has no indices and no handlers.
 * @param {number} pods @param {number} events @param {OpenOptions} options
 */
async function informers(pods, events, { check }) {
  const server = await startServer(here('server.mjs'), [String(pods), String(events)])
  const url = `http://127.0.0.1:${server.port}`
  const run = async (/** @type {import('../programs.mjs').Program} */ program) => {
    await fetch(`${url}/reset`)
    return figuresOf(program)
  }
  const args = [url, String(events)]
  const env = { CLIENT_NODE: installed(CLIENT_NODE) }
  const go = built('informer')
  /** A fifth of the events, since client-go takes ten times as long for each. @param {string} mode */
  const clientGo = async (mode) => {
    const flags = ['-server', url, '-pods', String(pods), '-events', String(events / 5), '-mode', mode]
    const { heapKBperObj, ...figures } = await run({ command: go ?? '', args: flags })
    return { ...figures, ...(heapKBperObj !== undefined && { heapKBperPod: heapKBperObj }) }
  }
  const rust = check ? undefined : kubeInformer()
  const kubeRs = (/** @type {string[]} */ ...flags) =>
    run({ command: rust ?? '', args: ['--server', url, '--events', String(events), ...flags] })
  /** @type {Contenders} */
  const contenders = {
    ours: () => run(nodeProgram(here('binnacle.mjs'), args)),
    floor: () => run(nodeProgram(here('floor.mjs'), args)),
    // It takes longest of all with events, and a check has to be short.
    ...(!(check && events > 0) && { 'client-node': () => run(nodeProgram(here('client-node.mjs'), args, env)) }),
    ...(go && { 'client-go': () => clientGo('typed') }),
    ...(go && !check && events === 0 && { 'client-go dynamic': () => clientGo('dynamic') }),
    ...(rust && { 'kube-rs': () => kubeRs() }),
    ...(rust && events === 0 && { 'kube-rs stripped': () => kubeRs('--strip') }),
  }
  return { contenders, close: async () => server.stop() }
}

/** @param {number} pods @param {OpenOptions} options @returns {Promise<Bench>} */
async function syncBench(pods, options) {
  return {
    name: `sync of ${pods.toLocaleString('en-US')} pods, indexed by namespace and node`,
    ...(await informers(pods, 0, options)),
  }
}

/** @param {number} pods @param {number} events @param {OpenOptions} options @returns {Promise<Bench>} */
async function watchBench(pods, events, options) {
  return {
    name: `${events.toLocaleString('en-US')} events on ${pods.toLocaleString('en-US')} pods`,
    ...(await informers(pods, events, options)),
  }
}

/** One line for each cost becomes one set of figures. @param {import('../programs.mjs').Program} program @returns {Promise<Figures>} */
async function costsOf(program) {
  return Object.fromEntries((await linesOf(program)).map(({ what, nsPerOp }) => [what, nsPerOp]))
}

/** @param {OpenOptions} options @returns {Promise<Bench>} */
async function costsBench({ quick, check }) {
  const go = built('micro')
  return {
    name: 'nanoseconds of the Indexer, with 50,000 objects, and of the work queue',
    contenders: {
      // A tenth of a second is too short for a check: the compiler and the collector would decide.
      ours: () => costsOf(nodeProgram(here('costs.mjs'), [quick && !check ? '100000' : '1000000'])),
      ...(go && { 'client-go': () => costsOf({ command: go, args: [] }) }),
    },
    // client-go's program repeats each step for a second by itself.
    ...(check && { rounds: 1 }),
    close: async () => {},
  }
}

/** @param {number} events @returns {Promise<Bench>} */
async function memoryBench(events) {
  return {
    name: `memory over ${events.toLocaleString('en-US')} events with index values that are never used twice`,
    contenders: { ours: () => figuresOf(nodeProgram(here('memory.mjs'), [String(events)])) },
    close: async () => {},
  }
}

/** @param {string} name @param {OpenOptions} options @returns {Promise<Bench>} */
export function open(name, options) {
  const { quick } = options
  const pods = quick ? 20_000 : 50_000
  if (name === 'sync') return syncBench(pods, options)
  if (name === 'watch') return watchBench(pods, quick ? 20_000 : 100_000, options)
  return name === 'costs' ? costsBench(options) : memoryBench(quick ? 100_000 : 1_000_000)
}
