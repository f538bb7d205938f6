/**
 * Measures us beside our peers: `npm run bench -- client`. Every figure comes from a process of its own; rounds alternate between the contenders, so that
 * a busy machine is unfair to all of them alike; shown are medians with their spread, and ratios of the same round.
 *
 *     npm run bench -- client                  all benches of the client
 *     npm run bench -- client list --rounds 7  those whose name begins so
 *     npm run bench -- client --record         adds a line to bench/history/client.ndjson
 *     npm run bench -- cache --rounds 5        the informer cache, beside client-node and client-go
 *     npm run bench -- indices                 indices, beside Kopf where there is a Python
 *     npm run bench -- daemons --rounds 1      daemons and timers, the same; a round takes two minutes
 *     npm run bench -- operator running        an operator end to end, beside Kopf, controller-runtime and kube-rs
 *
 * Ends with code 1 if a figure misses its reach.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

/** @typedef {{ readonly [figure: string]: number }} Figures */
/**
 * @typedef {object} Reach what a figure shall be
 * @property {string} figure
 * @property {string} [peer] whose figure it is compared with; without, it stands for itself
 * @property {number} [atLeast] ours / the peer's
 * @property {number} [atMost]
 */
/**
 * @typedef {object} Bench
 * @property {string} name
 * @property {{ readonly [contender: string]: () => Promise<Figures> }} contenders `ours` is one of them
 * @property {readonly Reach[]} reaches
 * @property {() => Promise<void>} close
 */
/** @typedef {(name: string) => Promise<Bench>} Open */

const SUITES = ['client', 'indices', 'daemons', 'operator']

/** @param {readonly number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** @param {number} number */
const short = (number) =>
  number >= 100 ? Math.round(number).toLocaleString('en-US') : String(Math.round(number * 100) / 100)

/** @param {readonly number[]} numbers */
const spread = (numbers) => `${short(median(numbers))} (${short(Math.min(...numbers))}–${short(Math.max(...numbers))})`

/** @param {Bench} bench @param {number} rounds @returns {Promise<Map<string, Figures[]>>} */
async function measure(bench, rounds) {
  /** @type {Map<string, Figures[]>} */
  const results = new Map(Object.keys(bench.contenders).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    const names = Object.keys(bench.contenders)
    // Who goes first changes, since whoever does may find a colder machine.
    for (const name of round % 2 === 0 ? names : names.reverse()) {
      const figures = await bench.contenders[name]?.()
      if (figures) results.get(name)?.push(figures)
    }
  }
  return results
}

/** @param {Reach} reach @param {Map<string, Figures[]>} results */
function judge({ figure, peer, atLeast, atMost }, results) {
  const of = (/** @type {string} */ name) => (results.get(name) ?? []).map((figures) => figures[figure] ?? Number.NaN)
  const ours = of('ours')
  const theirs = peer === undefined ? undefined : of(peer)
  const judged = theirs ? ours.map((value, round) => value / (theirs[round] ?? Number.NaN)) : ours
  const met = median(judged) >= (atLeast ?? -Infinity) && median(judged) <= (atMost ?? Infinity)
  const reach = `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`}${theirs ? '×' : ''}`
  const row = [
    figure,
    spread(ours),
    theirs ? `${peer} ${spread(theirs)}` : '–',
    theirs ? `${spread(judged)}×` : '–',
    reach,
    met ? 'met' : 'MISSED',
  ]
  return { met, row, line: { figure, peer, ours: median(ours), theirs: theirs && median(theirs), judged, reach, met } }
}

/** @param {readonly (readonly string[])[]} rows */
function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** @param {readonly string[]} args */
async function main(args) {
  const rounds = args.includes('--rounds') ? Number(args[args.indexOf('--rounds') + 1]) : 5
  const [suite = 'client', only = ''] = args.filter((arg, at) => !arg.startsWith('--') && args[at - 1] !== '--rounds')
  if (suite === 'cache') return (await import('./cache/cache.mjs')).benchCache(args.slice(1))
  if (!SUITES.includes(suite)) return refuse(suite)
  const { names, open } = await import(`./${suite}/benches.mjs`)
  let missed = 0
  const lines = []
  for (const name of names.filter((/** @type {string} */ each) => each.startsWith(only))) {
    /** @type {Bench} */
    const bench = await open(name)
    try {
      const results = await measure(bench, rounds)
      const judged = bench.reaches.map((reach) => judge(reach, results))
      console.log(`\n${bench.name}, ${rounds} rounds: median (least–most)`)
      console.log(table([['figure', 'ours', 'peer', 'ratio', 'reach', ''], ...judged.map(({ row }) => row)]))
      missed += judged.filter(({ met }) => !met).length
      lines.push(...judged.map(({ line }) => ({ bench: bench.name, ...line })))
    } finally {
      await bench.close()
    }
  }
  if (args.includes('--record')) record(suite, lines)
  console.log(`\n${lines.length - missed} met, ${missed} missed`)
  process.exitCode = missed === 0 ? 0 : 1
}

/** @param {string} suite */
function refuse(suite) {
  console.error(`There is no bench "${suite}"; there are: cache, ${SUITES.join(', ')}`)
  process.exitCode = 2
}

/** @param {string} suite @param {readonly object[]} lines */
function record(suite, lines) {
  const history = fileURLToPath(new URL('history/', import.meta.url))
  mkdirSync(history, { recursive: true })
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: history }).toString().trim()
  const cpu = `${cpus().length} × ${cpus()[0]?.model.trim()}`
  appendFileSync(`${history}${suite}.ndjson`, `${JSON.stringify({ commit, node: process.version, cpu, lines })}\n`)
}

await main(process.argv.slice(2))
