/**
 * The same work with more and more objects: what one of them costs shall not depend on how many there are. Reaches are in bench/reach.json.
 *
 *     npm run bench -- growth sync         a first list of 1,000 to 150,000 pods with two indexes
 *     npm run bench -- growth operator     an operator end to end, with 200 to 10,000 objects
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startControlPlane } from '../../conformance/control-plane/control-plane.mjs'
import { Lacking } from '../home.mjs'
import { driving } from '../operator/benches.mjs'
import { goProgram } from '../operator/peers.mjs'
import { built } from '../peers.mjs'
import { figuresOf, nodeProgram, startServer } from '../programs.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */
/** @typedef {import('../bench.mjs').OpenOptions} OpenOptions */

export const names = ['sync', 'operator']

const ROUNDS = 5
/** @param {string} name */
const cacheFile = (name) => new URL(`../cache/${name}`, import.meta.url)

/** @param {number} size */
const at = (size) => `at ${size.toLocaleString('en-US')}`

/** How much more one object costs where it costs most; the first size is left out: there the process itself weighs most. @param {readonly number[]} each */
const unevenness = (each) => Math.max(...each.slice(1)) / Math.min(...each.slice(1))

/** @param {readonly number[]} sizes @param {(size: number) => Promise<{ time: number, memory: number }>} measure @param {string} unit of time */
async function over(sizes, measure, unit) {
  /** @type {Record<string, number>} */
  const figures = {}
  for (const size of sizes) {
    const { time, memory } = await measure(size)
    console.error(`    ${at(size)}: ${time.toFixed(2)} ${unit} and ${memory.toFixed(2)} KB per object`)
    figures[`${unit} per object ${at(size)}`] = time
    figures[`KB per object ${at(size)}`] = memory
  }
  const of = (/** @type {string} */ what) => sizes.map((size) => figures[`${what} per object ${at(size)}`] ?? 0)
  figures[`${unit} per object, most / least`] = unevenness(of(unit))
  figures['KB per object, most / least'] = unevenness(of('KB'))
  return figures
}

/** @param {OpenOptions} options @returns {Promise<Bench>} */
async function syncBench({ quick }) {
  const sizes = quick ? [1000, 5000, 10_000] : [1000, 10_000, 50_000, 150_000]
  const go = built('informer')
  /** A server for each size, and only while it is used: the largest holds most of a gigabyte. @param {number} size @param {(url: string) => Promise<Figures>} run */
  const served = async (size, run) => {
    const server = await startServer(cacheFile('server.mjs'), [String(size), '0'])
    try {
      return await run(`http://127.0.0.1:${server.port}`)
    } finally {
      server.stop()
    }
  }
  const ours = (/** @type {number} */ size) => async () => {
    const { syncMs = 0, heapKBperPod = 0 } = await served(size, (url) =>
      figuresOf(nodeProgram(cacheFile('binnacle.mjs'), [url, '0'])),
    )
    return { time: (syncMs * 1000) / size, memory: heapKBperPod }
  }
  const clientGo = (/** @type {number} */ size) => async () => {
    const flags = ['-pods', String(size), '-events', '0', '-mode', 'typed']
    const { syncMs = 0, heapKBperObj = 0 } = await served(size, (url) =>
      figuresOf({ command: go ?? '', args: ['-server', url, ...flags] }),
    )
    return { time: (syncMs * 1000) / size, memory: heapKBperObj }
  }
  return {
    name: `a first list of ${sizes.map((size) => size.toLocaleString('en-US')).join(', ')} pods with two indexes`,
    contenders: {
      ours: () => over(sizes, (size) => ours(size)(), 'µs'),
      ...(go && { 'client-go': () => over(sizes, (size) => clientGo(size)(), 'µs') }),
    },
    rounds: ROUNDS,
    close: async () => {},
  }
}

/** @param {OpenOptions} options @returns {Promise<Bench>} */
async function operatorBench({ quick, check }) {
  const drive = goProgram('drive')
  const go = check ? undefined : goProgram('operator')
  if (drive === undefined) throw new Lacking('it needs Go: its driver, and the API server, are built with it')
  const sizes = quick ? [100, 200, 500] : [200, 2000, 10_000]
  const server = await startControlPlane({ say: console.error })
  const logs = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const bench = { flags: ['-timeout', '10m'], operator: [], inStatus: false }
  /**
   * The peak beside that of the fewest objects, which is nearly all the process's own.
   * @param {string} name @param {readonly [string, ...string[]]} command
   */
  const measured = (name, command) => {
    const fewest = { size: 0, peak: 0 }
    return async (/** @type {number} */ size) => {
      const { figures } = await driving({ drive, server, logs, bench, count: size })(name, command)
      const of = (/** @type {string} */ phase) => (figures[`${phase} ms`] ?? 0) / size
      const peak = (figures['peak MB'] ?? 0) * 1024
      const isFirst = size === sizes[0]
      const memory = isFirst ? peak / size : (peak - fewest.peak) / (size - fewest.size)
      if (isFirst) Object.assign(fewest, { size, peak })
      return { time: of('create') + of('update'), memory }
    }
  }
  const binnacle = fileURLToPath(new URL('../operator/binnacle.mjs', import.meta.url))
  const ours = measured('ours', [process.execPath, binnacle])
  return {
    name: `${sizes.map((size) => size.toLocaleString('en-US')).join(', ')} objects created and updated under an operator`,
    contenders: {
      ours: () => over(sizes, ours, 'ms'),
      ...(go && {
        'controller-runtime': () => over(sizes, measured('controller-runtime', [go, '-workers', '10']), 'ms'),
      }),
    },
    rounds: ROUNDS,
    close: async () => {
      await server.stop()
      rmSync(logs, { recursive: true, force: true })
    },
  }
}

/** @param {string} name @param {OpenOptions} options @returns {Promise<Bench>} */
export const open = (name, options) => (name === 'sync' ? syncBench(options) : operatorBench(options))
