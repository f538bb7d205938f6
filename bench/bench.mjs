/**
 * Measures us beside our peers: `npm run bench -- client`. Every figure comes from a process of its own; rounds alternate between the contenders, so that
 * a busy machine is unfair to all of them alike; shown are medians with their spread, and ratios of the same round.
 *
 *     npm run bench -- client                  the client, beside client-node and what Node alone can do
 *     npm run bench -- cache                   the informer cache, beside these and client-go, for which it takes Go
 *     npm run bench -- indices                 indices, beside Kopf where there is a Python
 *     npm run bench -- daemons --rounds 1      daemons and timers, the same; a round takes two minutes
 *     npm run bench -- operator running        an operator end to end, beside Kopf, controller-runtime and kube-rs
 *     npm run bench -- cluster                 the embedded cluster, beside kube-apiserver and etcd, for which it takes Go
 *     npm run bench -- client list --rounds 7  those whose name begins so
 *     npm run bench -- cache --quick           with a tenth of the objects, where there are many, and two rounds, for CI
 *     npm run bench -- client --json           one line of JSON instead of tables
 *     npm run bench -- client --record         adds a line to bench/history/client.ndjson
 *
 * A figure without a reach is shown for what it explains. Ends with code 1 if a figure misses its reach.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

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
/** @typedef {{ readonly names: readonly string[], readonly open: (name: string, options: { readonly quick: boolean }) => Promise<Bench> }} Suite */

const SUITES = ['client', 'cache', 'indices', 'daemons', 'operator', 'cluster']

/** @param {readonly number[]} numbers */
const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2
}

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
  const value = median(judged)
  const verdict = verdictOf(value, atLeast, atMost)
  const row = [
    figure,
    spread(ours),
    theirs ? `${peer} ${theirs.length > 0 ? spread(theirs) : 'left out'}` : '–',
    theirs?.length ? `${spread(judged)}×` : '–',
    reachOf(atLeast, atMost, theirs ? '×' : ''),
    verdict,
  ]
  const line = { figure, peer, ours: median(ours), theirs: theirs && median(theirs), judged, atLeast, atMost, verdict }
  return { verdict, row, line }
}

/** A peer that could not be had leaves nothing to be judged. @param {number} value @param {number} [atLeast] @param {number} [atMost] */
function verdictOf(value, atLeast, atMost) {
  if ((atLeast === undefined && atMost === undefined) || Number.isNaN(value)) return ''
  return value >= (atLeast ?? -Infinity) && value <= (atMost ?? Infinity) ? 'met' : 'MISSED'
}

/** @param {number | undefined} atLeast @param {number | undefined} atMost @param {string} unit */
function reachOf(atLeast, atMost, unit) {
  if (atLeast === undefined && atMost === undefined) return '–'
  if (atLeast === atMost) return `${atMost}${unit}`
  return atLeast === undefined ? `≤ ${atMost}${unit}` : `≥ ${atLeast}${unit}`
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

/** @param {Suite} suite @param {string} name @param {{ readonly quick: boolean, readonly rounds: number, readonly say: (text: string) => void }} options */
async function run(suite, name, { quick, rounds, say }) {
  const bench = await suite.open(name, { quick })
  try {
    const results = await measure(bench, rounds)
    const judged = bench.reaches.map((reach) => judge(reach, results))
    say(`\n${bench.name}, ${rounds} rounds: median (least–most)`)
    say(table([['figure', 'ours', 'peer', 'ratio', 'reach', ''], ...judged.map(({ row }) => row)]))
    return judged.map(({ line }) => ({ bench: bench.name, ...line }))
  } finally {
    await bench.close()
  }
}

/** @param {readonly string[]} args */
async function main(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  })
  const [name = 'client', only = ''] = positionals
  if (!SUITES.includes(name)) return refuse(name)
  /** @type {Suite} */
  const suite = await import(`./${name}/benches.mjs`)
  const rounds = Number(values.rounds ?? (values.quick ? 2 : 5))
  const say = values.json ? () => {} : console.log
  const lines = []
  for (const each of suite.names.filter((bench) => bench.startsWith(only))) {
    lines.push(...(await run(suite, each, { quick: values.quick, rounds, say })))
  }
  if (values.record) record(name, lines)
  if (values.json) console.log(JSON.stringify({ suite: name, node: process.version, rounds, lines }))
  const missed = lines.filter(({ verdict }) => verdict === 'MISSED').length
  say(`\n${lines.filter(({ verdict }) => verdict === 'met').length} met, ${missed} missed`)
  process.exitCode = missed === 0 ? 0 : 1
}

/** @param {string} suite */
function refuse(suite) {
  console.error(`There is no bench "${suite}"; there are: ${SUITES.join(', ')}`)
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
