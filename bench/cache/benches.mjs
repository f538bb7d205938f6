/** What the cache is measured by, with its reaches. */
import { built, CLIENT_NODE, installed } from '../peers.mjs'
import { figuresOf, linesOf, nodeProgram, startServer } from '../programs.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */
/** @typedef {import('../bench.mjs').Reach} Reach */
/** @typedef {{ readonly [contender: string]: () => Promise<Figures> }} Contenders */

export const names = ['sync', 'watch', 'costs', 'memory']

/** @param {string} name */
const here = (name) => new URL(name, import.meta.url)

/**
 * Informers on one server: ours, client-node's, client-go's, and the floor, which has no indices and no handlers.
 * @param {number} pods @param {number} events @param {number} fewer client-go gets only so many, since it takes ten times as long for each
 */
async function informers(pods, events, fewer) {
  const server = await startServer(here('server.mjs'), [String(pods), String(events)])
  const url = `http://127.0.0.1:${server.port}`
  const run = async (/** @type {import('../programs.mjs').Program} */ program) => {
    await fetch(`${url}/reset`)
    return figuresOf(program)
  }
  const args = [url, String(events)]
  const env = { CLIENT_NODE: installed(CLIENT_NODE) }
  const go = built('informer')
  const goArgs = ['-server', url, '-pods', String(pods), '-events', String(fewer), '-mode', 'typed']
  /** @type {Contenders} */
  const contenders = {
    ours: () => run(nodeProgram(here('binnacle.mjs'), args)),
    floor: () => run(nodeProgram(here('floor.mjs'), args)),
    'client-node': () => run(nodeProgram(here('client-node.mjs'), args, env)),
    ...(go && { 'client-go': () => run({ command: go, args: goArgs }) }),
  }
  return { contenders, close: async () => server.stop() }
}

/** @param {number} pods @returns {Promise<Bench>} */
async function syncBench(pods) {
  return {
    name: `sync of ${pods.toLocaleString('en-US')} pods, indexed by namespace and node`,
    ...(await informers(pods, 0, 0)),
    reaches: [
      { figure: 'syncMs', peer: 'floor', atMost: 1.2 },
      { figure: 'syncMs', peer: 'client-node', atMost: 0.5 },
      { figure: 'syncMs', peer: 'client-go', atMost: 0.5 },
      { figure: 'peakSyncRssMB', peer: 'client-node', atMost: 0.3 },
      { figure: 'peakSyncRssMB', peer: 'client-go', atMost: 0.4 },
      { figure: 'heapKBperPod', peer: 'client-node' },
      { figure: 'heapKBperPod', peer: 'floor' },
      { figure: 'loopBlockedMsInSync', atMost: 60 },
      { figure: 'loopBlockedMsInSync', peer: 'floor' },
      { figure: 'longestGcMsInSync' },
      { figure: 'relistCallbacks', atLeast: pods / 100, atMost: pods / 100 },
      { figure: 'loopBlockedMsInRelist', atMost: 60 },
    ],
  }
}

/** @param {number} pods @param {number} events @returns {Promise<Bench>} */
async function watchBench(pods, events) {
  return {
    name: `${events.toLocaleString('en-US')} events on ${pods.toLocaleString('en-US')} pods`,
    ...(await informers(pods, events, events / 5)),
    reaches: [
      { figure: 'eventsPerSec', peer: 'floor', atLeast: 0.8 },
      { figure: 'eventsPerSec', peer: 'client-node', atLeast: 1.3 },
      { figure: 'eventsPerSec', peer: 'client-go', atLeast: 5 },
      { figure: 'loopBlockedMsInWatch', atMost: 60 },
      { figure: 'longestGcMsInWatch' },
    ],
  }
}

/** One line for each cost becomes one set of figures. @param {import('../programs.mjs').Program} program @returns {Promise<Figures>} */
async function costsOf(program) {
  return Object.fromEntries((await linesOf(program)).map(({ what, nsPerOp }) => [what, nsPerOp]))
}

/** @param {boolean} quick @returns {Promise<Bench>} */
async function costsBench(quick) {
  const go = built('micro')
  const peer = 'client-go'
  /** @type {readonly Reach[]} */
  const reaches = [25, 10_000].flatMap((per) => [
    { figure: `Indexer.Update, index values unchanged, 2 indexes (buckets of ${per})`, peer, atMost: 0.3 },
    { figure: `Indexer.Update, one index value changed (buckets of ${per})`, peer, atMost: 0.3 },
    { figure: `Indexer.ByIndex (buckets of ${per})`, peer, atMost: 0.3 },
  ])
  return {
    name: 'nanoseconds of the Indexer, with 50,000 objects, and of the work queue',
    contenders: {
      ours: () => costsOf(nodeProgram(here('costs.mjs'), [quick ? '100000' : '1000000'])),
      ...(go && { [peer]: () => costsOf({ command: go, args: [] }) }),
    },
    reaches: [...reaches, { figure: 'workqueue add+get+done, 1,000 queued', peer, atMost: 1.5 }],
    close: async () => {},
  }
}

/** @param {number} events @returns {Promise<Bench>} */
async function memoryBench(events) {
  return {
    name: `memory over ${events.toLocaleString('en-US')} events with index values that are never used twice`,
    contenders: { ours: () => figuresOf(nodeProgram(here('memory.mjs'), [String(events)])) },
    reaches: [
      { figure: 'heapGrowthMB', atMost: 1 },
      { figure: 'valuesBeyondObjects', atMost: 0 },
    ],
    close: async () => {},
  }
}

/** @param {string} name @param {{ readonly quick: boolean }} options @returns {Promise<Bench>} */
export function open(name, { quick }) {
  const pods = quick ? 5000 : 50_000
  if (name === 'sync') return syncBench(pods)
  if (name === 'watch') return watchBench(pods, quick ? 10_000 : 100_000)
  return name === 'costs' ? costsBench(quick) : memoryBench(quick ? 100_000 : 1_000_000)
}
