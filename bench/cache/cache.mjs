/**
 * The cache against its peers, on the same bytes, in the same run: rounds alternate between the contenders, and what counts is the ratio of medians.
 *
 *     node bench/cache/cache.mjs [--rounds 3] [--pods 50000] [--events 100000] [--only binnacle,floor,client-node,client-go] [--no-micro]
 *
 * Peers live in a cache directory outside of the checkout ($XDG_CACHE_HOME/binnacle/bench, or ~/.cache/…): client-node is installed there by
 * npm, client-go is built there by Go. A peer that cannot be had is left out, and said so.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const here = dirname(fileURLToPath(import.meta.url))
const home = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'binnacle', 'bench')
const PORT = 18_094
const URL = `http://127.0.0.1:${PORT}`
const NODE = ['--expose-gc', '--max-old-space-size=12000']

/** What is to be reached: ours divided by the peer's, at most or at least. */
const REACH = [
  { figure: 'syncMs', peer: 'floor', atMost: 1.2 },
  { figure: 'syncMs', peer: 'client-node', atMost: 0.5 },
  { figure: 'syncMs', peer: 'client-go', atMost: 0.5 },
  { figure: 'peakSyncRssMB', peer: 'client-node', atMost: 0.3 },
  { figure: 'peakSyncRssMB', peer: 'client-go', atMost: 0.4 },
  { figure: 'eventsPerSec', peer: 'floor', atLeast: 0.8 },
  { figure: 'eventsPerSec', peer: 'client-node', atLeast: 1.3 },
  { figure: 'eventsPerSec', peer: 'client-go', atLeast: 5 },
]

/** @typedef {Record<string, number | string>} Figures */
/** @typedef {{ readonly name: string, readonly command: string, readonly args: readonly string[], readonly env?: NodeJS.ProcessEnv }} Contender */

/** @param {string} command @param {readonly string[]} args @param {{ cwd?: string }} [options] */
function prepared(command, args, options = {}) {
  return spawnSync(command, args, { stdio: 'inherit', ...options }).status === 0
}

/** @returns {string | undefined} where client-node is installed */
function clientNode() {
  const directory = join(home, 'node')
  if (existsSync(join(directory, 'node_modules/@kubernetes/client-node'))) return directory
  mkdirSync(directory, { recursive: true })
  writeFileSync(
    join(directory, 'package.json'),
    '{ "private": true, "dependencies": { "@kubernetes/client-node": "1.4.0" } }',
  )
  return prepared('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: directory })
    ? directory
    : undefined
}

/** @param {string} program @returns {string | undefined} the built program */
function goProgram(program) {
  const binary = join(home, 'bin', program)
  if (existsSync(binary)) return binary
  mkdirSync(dirname(binary), { recursive: true })
  return prepared('go', ['build', '-o', binary, `./${program}`], { cwd: join(here, 'go') }) ? binary : undefined
}

/** @param {string} events @param {string} pods @returns {Contender[]} */
function contenders(events, pods) {
  const ours = (/** @type {string} */ name, /** @type {string} */ file) => ({
    name,
    command: process.execPath,
    args: [...NODE, join(here, file), URL, events],
  })
  const node = clientNode()
  const go = goProgram('informer')
  if (!node) console.log('client-node could not be installed and is left out')
  if (!go) console.log('client-go could not be built and is left out')
  return [
    ours('binnacle', 'binnacle.mjs'),
    ours('floor', 'floor.mjs'),
    ...(node ? [{ ...ours('client-node', 'client-node.mjs'), env: { CLIENT_NODE_DIR: node } }] : []),
    ...(go
      ? [{ name: 'client-go', command: go, args: ['-server', URL, '-pods', pods, '-events', events, '-mode', 'typed'] }]
      : []),
  ]
}

/** @param {Contender} contender @returns {Promise<Figures | undefined>} */
async function run({ name, command, args, env }) {
  await fetch(`${URL}/reset`)
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  await new Promise((resolve) => child.once('close', resolve))
  const line = output.split('\n').findLast((text) => text.startsWith('{'))
  if (!line) console.log(`${name} said nothing`)
  return line ? JSON.parse(line) : undefined
}

/** @param {number[]} values */
function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** @param {string} pods @param {string} events */
async function serve(pods, events) {
  const server = spawn(process.execPath, [
    '--max-old-space-size=8000',
    join(here, 'server.mjs'),
    String(PORT),
    pods,
    events,
  ])
  await new Promise((resolve, reject) => {
    server.stdout.once('data', resolve)
    server.once('exit', () => reject(new Error('The server did not start')))
  })
  return server
}

/** @param {Map<string, Figures[]>} results */
function show(results) {
  const figures = [
    'syncMs',
    'cpuSyncMs',
    'peakSyncRssMB',
    'heapKBperPod',
    'eventsPerSec',
    'loopBlockedMsInSync',
    'loopBlockedMsInWatch',
  ]
  const medians = new Map(
    [...results].map(([name, rounds]) => [
      name,
      Object.fromEntries(figures.map((figure) => [figure, median(rounds.map((round) => Number(round[figure])))])),
    ]),
  )
  console.table(Object.fromEntries(medians))
  for (const { figure, peer, atMost, atLeast } of REACH) {
    const [ours, theirs] = [medians.get('binnacle')?.[figure], medians.get(peer)?.[figure]]
    if (ours === undefined || theirs === undefined) continue
    const ratio = ours / theirs
    const reached = atMost === undefined ? ratio >= (atLeast ?? 0) : ratio <= atMost
    const goal = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`
    console.log(`${reached ? 'reached' : 'MISSED '}  ${figure} / ${peer}: ${ratio.toFixed(2)} (${goal})`)
  }
  const [relist] = results.get('binnacle') ?? []
  if (relist)
    console.log(
      `relist: ${relist['relistCallbacks']} callbacks, ${relist['relistMs']} ms, loop blocked ${relist['loopBlockedMsInRelist']} ms`,
    )
}

/** @param {readonly string[]} args */
export async function benchCache(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      pods: { type: 'string', default: '50000' },
      events: { type: 'string', default: '100000' },
      only: { type: 'string', default: 'binnacle,floor,client-node,client-go' },
      'no-micro': { type: 'boolean', default: false },
    },
  })
  const only = values.only.split(',')
  const chosen = contenders(values.events, values.pods).filter(({ name }) => only.includes(name))
  const server = await serve(values.pods, values.events)
  /** @type {Map<string, Figures[]>} */
  const results = new Map(chosen.map(({ name }) => [name, []]))
  try {
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const contender of chosen) {
        const figures = await run(contender)
        if (figures) results.get(contender.name)?.push(figures)
        console.log(JSON.stringify({ round, ...figures, contender: contender.name }))
      }
    }
  } finally {
    server.kill()
  }
  show(results)
  if (values['no-micro']) return
  prepared(process.execPath, ['--expose-gc', join(here, 'micro.mjs')])
  const micro = goProgram('micro')
  if (micro) prepared(micro, [])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchCache(process.argv.slice(2))
