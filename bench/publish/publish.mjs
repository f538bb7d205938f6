/**
 * The documents that are made of results: docs/benchmarks and the claims of README.md. No figure in them is written by hand.
 *
 *     npm run bench -- --publish
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { boundText, judge, rowOf } from '../judge.mjs'
import { reachesOf } from '../reach.mjs'
import { allResults } from '../results.mjs'
import { median, short, spread } from '../statistics.mjs'
import { chartsOf } from './charts.mjs'

/** @typedef {import('../results.mjs').Result} Result */
/** @typedef {ReadonlyMap<string, Result>} Results */
/** @typedef {import('../judge.mjs').Judged} Judged */

const root = fileURLToPath(new URL('../../', import.meta.url))
const template = new URL('template.md', import.meta.url)
const PAGE = 'docs/benchmarks/README.md'
const NOTE =
  '<!-- Written by "npm run bench -- --publish" from bench/results and bench/publish/template.md: do not edit. -->'
const MARKS = { begin: '<!-- figures: begin -->', end: '<!-- figures: end -->' }

/** @param {readonly (readonly string[])[]} rows the first is the head */
function table([head = [], ...rows]) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** @param {Result} result @returns {Judged[]} */
const judgedOf = ({ bench, reaches, rounds }) => reachesOf(bench, reaches).map((reach) => judge(reach, rounds))

/** @param {Result} result */
function headOf({ title, quick, date, commit, node, machine, versions, rounds }) {
  const count = rounds['ours']?.length ?? 0
  const peers = Object.entries(versions).filter(([name]) => name !== 'ours')
  const beside = peers.length > 0 ? ` Peers: ${peers.map(([name, version]) => `${name} ${version}`).join('; ')}.` : ''
  const few = quick ? ' **A quick run with fewer objects: for a look, not for a claim.**' : ''
  return `*${title}.* ${count} ${count === 1 ? 'round' : 'rounds'} on ${date} at ${commit}, Node ${node}, ${machine.cpu}, ${machine.memory}.${beside}${few}`
}

/** @param {Results} results @param {string} bench */
function benchText(results, bench) {
  const result = results.get(bench)
  if (!result) return `*Not measured yet: \`npm run bench -- ${bench}\`.*`
  const rows = judgedOf(result)
    .filter(({ judged }) => judged.length > 0)
    .map((judged) => [...rowOf(judged).slice(0, 5), VERDICTS[judged.verdict]])
  return `${headOf(result)}\n\n${table([['figure', 'ours', 'peer', 'ratio', 'reach', ''], ...rows])}`
}
const VERDICTS = { met: 'met', MISSED: '**missed**', '': '' }

/** Sizes against contenders. @param {Results} results @param {string} bench @param {string} unit */
function growthText(results, bench, unit) {
  const result = results.get(bench)
  if (!result) return `*Not measured yet: \`npm run bench -- ${bench}\`.*`
  const pattern = new RegExp(`^(${unit}|KB) per object at ([\\d,]+)$`)
  const contenders = Object.keys(result.rounds)
  const sizes = [...new Set((result.rounds['ours'] ?? []).flatMap((round) => Object.keys(round)))]
    .map((figure) => pattern.exec(figure)?.[2])
    .filter((size) => size !== undefined)
  const cell = (/** @type {string} */ name, /** @type {string} */ figure) =>
    spread((result.rounds[name] ?? []).map((round) => round[figure]).filter((value) => typeof value === 'number'))
  const rows = [...new Set(sizes)].map((size) => [
    size,
    ...contenders.flatMap((name) => [
      cell(name, `${unit} per object at ${size}`),
      cell(name, `KB per object at ${size}`),
    ]),
  ])
  const head = ['objects', ...contenders.flatMap((name) => [`${name}, ${unit} each`, `${name}, KB each`])]
  return `${headOf(result)}\n\n${table([head, ...rows])}`
}

/** Every figure that misses its reach, with what is known about it. @param {Results} results */
function missedText(results) {
  const missed = [...results.values()].flatMap((result) =>
    judgedOf(result)
      .filter(({ verdict }) => verdict === 'MISSED')
      .map((judged) => ({ ...judged, bench: result.bench, quick: result.quick })),
  )
  if (missed.length === 0) return 'In these results none.'
  const rows = missed.map(({ bench, quick, figure, peer, judged, reach }) => {
    const unit = peer === undefined ? '' : '×'
    const beside = peer === undefined ? '' : ` beside ${peer}`
    const why = reach.why ?? 'Not looked into yet.'
    return [
      `${bench}${quick ? ' (quick)' : ''}`,
      `${figure}${beside}`,
      `${spread(judged)}${unit}`,
      boundText(reach, unit),
      why,
    ]
  })
  return table([['bench', 'figure', 'is', 'reach', 'why, and what would help'], ...rows])
}

/** @param {string} text @param {Results} results */
function filled(text, results) {
  return text.replace(/\{\{(\w+)(?: ([^}]+))?\}\}/g, (whole, what, argument = '') => {
    if (what === 'bench') return benchText(results, argument)
    if (what === 'growth') return growthText(results, ...splitLast(argument))
    if (what === 'missed') return missedText(results)
    throw new Error(`The template asks for ${whole}, which nobody knows`)
  })
}

/** @param {string} text @returns {[bench: string, unit: string]} */
function splitLast(text) {
  const words = text.split(' ')
  return [words.slice(0, -1).join(' '), words.at(-1) ?? '']
}

/** The claims of the README: a sentence, the ratio, where it is from. */
const CLAIMS = /** @type {const} */ ([
  ['a first list of many pods, in time', 'cache sync', 'syncMs', 'client-go'],
  ['the same, in peak memory', 'cache sync', 'peakSyncRssMB', 'client-go'],
  ['the same, in time', 'cache sync', 'syncMs', 'client-node'],
  ['the same, in time', 'cache sync', 'syncMs', 'kube-rs'],
  ['events of a watch in a second', 'cache watch', 'eventsPerSec', 'client-go'],
  ['an operator at work: time until all creations are handled', 'operator running', 'create ms', 'kopf'],
  ['the same, in CPU of the operator', 'operator running', 'create cpu s', 'kopf'],
  ['the same, in CPU of the operator', 'operator running', 'create cpu s', 'controller-runtime'],
  ['small requests in a second, over TLS', 'client requests', 'perSecond', 'client-node'],
  ['a list of 50,000 pods, in time', 'client list', 'ms', 'client-node'],
  ['two indices filled with 50,000 pods, beside 2,000 of them there', 'indices fill', 'indexedMs', 'kopf'],
  ['a daemon and a timer for each of 10,000 objects, in time', 'daemons life', 'spawnMs', 'kopf'],
  ['the same, in memory', 'daemons life', 'kbPerObject', 'kopf'],
  ['an embedded cluster, from its import to its first answer', 'cluster boot', 'library ms', 'kube-apiserver'],
  ['from the start of the process to the first list', 'start first', 'firstListMs', 'kopf'],
])

/** @param {Results} results */
export function claimsText(results) {
  const rows = CLAIMS.flatMap(([what, bench, figure, peer]) => {
    const result = results.get(bench)
    const judged = result && judge({ figure, peer }, result.rounds)
    if (!judged || judged.judged.length === 0 || result.quick) return []
    return [[what, `${spread(judged.judged)}× ${peer}'s`]]
  })
  const size = results.get('start size')?.rounds['ours']?.map((round) => round['installedMB'])
  const installed = median((size ?? []).filter((value) => typeof value === 'number'))
  if (!Number.isNaN(installed)) rows.push(['what `npm install binnacle` puts on a disk', `${short(installed)} MB`])
  const link = 'How it was measured, beside whom, and where we lose: [docs/benchmarks](docs/benchmarks/README.md).'
  if (rows.length === 0) return link
  return `${table([['figure', 'ours, beside a peer in the same run'], ...rows])}\n\n${link}`
}

/** @param {string} readme @param {Results} results */
export function withClaims(readme, results) {
  const [begin, end] = [readme.indexOf(MARKS.begin), readme.indexOf(MARKS.end)]
  if (begin < 0 || end < begin) throw new Error(`README.md has no place for figures: ${MARKS.begin} … ${MARKS.end}`)
  return `${readme.slice(0, begin + MARKS.begin.length)}\n${claimsText(results)}\n${readme.slice(end)}`
}

/** All files that are made of results, by path. @param {Results} [results] @returns {Record<string, string>} */
export function documents(results = allResults()) {
  const charts = Object.entries(chartsOf(results)).map(([file, svg]) => [`docs/benchmarks/${file}`, svg])
  const text = filled(readFileSync(template, 'utf8'), results)
  const missing = (/** @type {string} */ file) => !charts.some(([path]) => path === `docs/benchmarks/${file}`)
  const page = text.replace(/^!\[[^\]]*\]\(([^)]+\.svg)\)\n?/gm, (whole, file) => (missing(file) ? '' : whole))
  return {
    [PAGE]: `${NOTE}\n\n${page}`,
    'README.md': withClaims(readFileSync(join(root, 'README.md'), 'utf8'), results),
    ...Object.fromEntries(charts),
  }
}

/** @returns {string[]} a sentence for each file that is not what the results make of it */
export function drift() {
  return Object.entries(documents())
    .filter(([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(([path]) => `${path} is not what bench/results make of it: npm run bench -- --publish`)
}

export function publish() {
  for (const [path, text] of Object.entries(documents())) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
    console.log(`written: ${path}`)
  }
}
