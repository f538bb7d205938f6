/**
 * Measures us beside our peers. Every figure comes from a process of its own; rounds alternate between the contenders, so that a busy machine is unfair to all
 * of them alike; shown are medians with their spread, and ratios of the same round.
 *
 *     npm run bench -- --help                  says what else it can be asked for
 *
 * What was measured with all objects is kept in bench/results; with --keep, a quick run too. The reach of each figure is in bench/reach.json; a figure without one
 * is shown for what it explains. Ends with code 1 if a figure misses its reach, or with --check if one fails it.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Lacking } from './home.mjs'
import { checked, complaintOf, judge, rowOf } from './judge.mjs'
import { forgetPartial, measure } from './measure.mjs'
import { checkedBenches, reachesOf } from './reach.mjs'
import { allResults, commitOf, keepResult, resultOf } from './results.mjs'

/** @typedef {{ readonly [figure: string]: number }} Figures */
/** @typedef {{ readonly [figure: string]: number | object | undefined }} Measured figures, and whatever else is drawn */
/**
 * @typedef {object} Reach what a figure shall be
 * @property {string} figure
 * @property {string} [peer] whose figure it is compared with; without, it stands for itself
 * @property {number} [atLeast] ours / the peer's
 * @property {number} [atMost]
 * @property {'ratio' | 'count' | 'time'} [kind] how it is checked: with a margin, exactly, or never. Default: ratio with a peer, else time
 * @property {{ readonly value: number, readonly because: string }} [tolerated] what a check allows instead
 * @property {string} [why] why it is missed, and what would help
 */
/**
 * @typedef {object} Bench
 * @property {string} name
 * @property {{ readonly [contender: string]: () => Promise<Measured> }} contenders `ours` is one of them
 * @property {readonly Reach[]} [reaches] beside those of bench/reach.json
 * @property {number} [rounds] at most so many, where one takes long
 * @property {() => Promise<void>} close
 */
/** @typedef {{ readonly quick: boolean, readonly check: boolean }} OpenOptions `check`: only with peers that Node and Go can build */
/** @typedef {{ readonly names: readonly string[], readonly open: (name: string, options: OpenOptions) => Promise<Bench> }} Suite */
/** @typedef {OpenOptions & { readonly rounds: number, readonly budget: number, readonly resume: boolean, readonly keep: boolean, readonly say: (text: string) => void }} RunOptions */
/** @typedef {import('./judge.mjs').Judged & { readonly bench: string, readonly versions: { readonly [contender: string]: string } }} Line */

const SUITES = ['client', 'cache', 'indices', 'daemons', 'operator', 'cluster', 'start', 'types', 'growth', 'soak']

const USAGE = `Measures us beside our peers; what this machine cannot measure, it says.

npm run bench                            all that this machine can; what it cannot, it says
npm run bench -- cache                   one suite: the informer cache, beside client-node, client-go, kube-rs and what Node alone can do
npm run bench -- operator running        those of it whose name begins so
npm run bench -- cache sync --rounds 7   five, unless said otherwise
npm run bench -- --budget 600            seconds for each bench; a round that has begun is finished
npm run bench -- --resume                goes on where an interrupted run of the same commit has ended
npm run bench -- --quick                 with fewer objects, and two rounds
npm run bench -- --quick --check         fails only where noise cannot be the cause; ends with "N passed, N failed"
npm run bench -- client --json           one line of JSON instead of tables
npm run bench -- client --record         adds a line to bench/history/client.ndjson
npm run bench -- --publish               writes docs/benchmarks and the figures of README.md from bench/results; measures nothing

Suites: ${SUITES.join(', ')}.
A figure is the median of its rounds, with the least and the most, beside that of the peer in the same run; its reach is in bench/reach.json.`

/** Rounds of a check, of which one has to be good. */
const CHECKED_AT_MOST = 4

/** @param {readonly (readonly string[])[]} rows */
function table(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (/** @type {readonly string[]} */ row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}

/** @param {string} id @param {Suite} suite @param {string} name @param {RunOptions} options @returns {Promise<Line[]>} */
async function run(id, suite, name, options) {
  const { quick, check, say } = options
  say(`\n${id}`)
  const bench = await suite.open(name, { quick, check })
  try {
    const reaches = reachesOf(id, bench.reaches)
    const rounds = await measured(bench, reaches, { ...options, id })
    const judged = reaches.map((reach) => judge(reach, rounds))
    say(`\n${bench.name}, ${rounds['ours']?.length ?? 0} rounds: median (least–most)`)
    say(table([['figure', 'ours', 'peer', 'ratio', 'reach', ''], ...judged.map(rowOf)]))
    const result = resultOf({ bench: id, title: bench.name, quick, rounds, reaches: bench.reaches ?? [] })
    const { versions } = result
    say(
      `measured: ${Object.entries(versions)
        .map((each) => each.join(' '))
        .join('; ')}`,
    )
    if (options.keep) keepResult(result)
    forgetPartial(id, quick)
    return judged.map((line) => ({ bench: id, ...line, versions }))
  } finally {
    await bench.close()
  }
}

/**
 * So many rounds as were asked for; in a check more of them while a figure fails, since the first ones may have met a busy machine.
 * @param {Bench} bench @param {readonly Reach[]} reaches @param {RunOptions & { readonly id: string }} options
 */
async function measured(bench, reaches, options) {
  const asked = Math.min(options.rounds, bench.rounds ?? Infinity)
  let rounds = await measure(bench, { ...options, rounds: asked })
  const fails = () => reaches.some((reach) => checked(judge(reach, rounds)) === 'failed')
  for (let wanted = asked + 1; options.check && wanted <= CHECKED_AT_MOST && fails(); wanted++) {
    options.say('  it fails the check, and is measured once more')
    rounds = await measure(bench, { ...options, rounds: wanted, resume: true })
  }
  return rounds
}

/** What was asked for, as ids: all of it, a suite, those of a suite that begin so, or what is checked. @param {readonly string[]} asked @param {boolean} check */
async function chosen([only, beginning = ''], check) {
  if (only !== undefined && !SUITES.includes(only)) return undefined
  const ids = []
  for (const suite of only === undefined ? SUITES : [only]) {
    /** @type {Suite} */
    const { names } = await import(`./${suite}/benches.mjs`)
    ids.push(...names.filter((name) => name.startsWith(beginning)).map((name) => `${suite} ${name}`))
  }
  return check && only === undefined ? ids.filter((id) => checkedBenches().includes(id)) : ids
}

/** What an interrupted run of this commit has brought to its end already. @param {string} id @param {RunOptions} options @returns {Line[] | undefined} */
function measuredBefore(id, { resume, keep, quick, say }) {
  const result = resume && keep ? allResults().get(id) : undefined
  if (result?.commit !== commitOf() || result.quick !== quick) return undefined
  say(`${id} was measured at this commit already`)
  return reachesOf(id, result.reaches).map((reach) => ({
    bench: id,
    ...judge(reach, result.rounds),
    versions: result.versions,
  }))
}

/** @param {readonly string[]} ids @param {RunOptions} options */
async function runAll(ids, options) {
  /** @type {Line[]} */
  const lines = []
  /** @type {string[]} */
  const broken = []
  for (const id of ids) {
    const [suite = '', name = ''] = id.split(' ')
    try {
      const before = measuredBefore(id, options)
      lines.push(...(before ?? (await run(id, await import(`./${suite}/benches.mjs`), name, options))))
    } catch (error) {
      const lacks = error instanceof Lacking
      options.say(`${id} ${lacks ? 'is left out' : 'FAILED'}: ${error instanceof Error ? error.message : error}`)
      if (!lacks) broken.push(id)
    }
  }
  return { lines, broken }
}

/** @param {readonly string[]} args */
const read = (args) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      rounds: { type: 'string' },
      budget: { type: 'string' },
      quick: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      resume: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
    },
  })

/** @param {readonly string[]} args */
async function main(args) {
  const { values, positionals } = read(args)
  if (values.help) return console.log(USAGE)
  if (values.publish) return (await import('./publish/publish.mjs')).publish()
  const { quick, check, resume, json } = values
  const ids = await chosen(positionals, check)
  if (!ids || ids.length === 0) return refuse(positionals.join(' '))
  const rounds = Number(values.rounds ?? (check ? 1 : quick ? 2 : 5))
  const say = json ? console.error : console.log
  const keep = values.keep || !quick
  const options = { quick, check, resume, keep, rounds, budget: Number(values.budget ?? Infinity), say }
  const { lines, broken } = await runAll(ids, options)
  if (values.record) record(positionals[0] ?? 'all', lines)
  if (json) console.log(JSON.stringify({ benches: ids, node: process.version, rounds, lines }))
  if (check) concludeCheck(lines, broken, say)
  else conclude(lines, broken, say)
  // A server that a failed bench could not stop must not keep us.
  process.exit()
}

/** @param {readonly Line[]} lines @param {readonly string[]} broken @param {(text: string) => void} say */
function conclude(lines, broken, say) {
  const missed = lines.filter(({ verdict }) => verdict === 'MISSED')
  for (const { bench, figure, peer } of missed) say(`missed: ${bench}, ${figure}${peer ? ` beside ${peer}` : ''}`)
  for (const id of broken) say(`failed: ${id}`)
  say(`\n${lines.filter(({ verdict }) => verdict === 'met').length} met, ${missed.length} missed`)
  process.exitCode = missed.length + broken.length === 0 ? 0 : 1
}

/** @param {readonly Line[]} lines @param {readonly string[]} broken @param {(text: string) => void} say */
function concludeCheck(lines, broken, say) {
  const failed = lines.filter((line) => checked(line) === 'failed')
  for (const line of failed) say(`FAILED  ${line.bench}: ${complaintOf(line)}`)
  for (const id of broken) say(`FAILED  ${id} could not be measured`)
  say(`${lines.filter((line) => checked(line) === 'passed').length} passed, ${failed.length + broken.length} failed`)
  process.exitCode = failed.length + broken.length === 0 ? 0 : 1
}

/** @param {string} asked */
function refuse(asked) {
  console.error(`There is no bench "${asked}"; there are: ${SUITES.join(', ')}`)
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

try {
  await main(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))) throw error
  console.error(`${error.message}\n\n${USAGE}`)
  process.exitCode = 2
}
