/** The last results of each bench, as JSON in the repository: what the documents are made of. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { versionsOf } from './versions.mjs'

/** @typedef {import('./judge.mjs').Rounds} Rounds */
/**
 * @typedef {object} Result
 * @property {string} bench as `cache sync`
 * @property {string} title
 * @property {string} date of the day
 * @property {string} commit
 * @property {boolean} quick with fewer objects: good for a look, not for a claim
 * @property {{ readonly cpu: string, readonly memory: string, readonly os: string }} machine
 * @property {string} node
 * @property {{ readonly [contender: string]: string }} versions
 * @property {readonly import('./bench.mjs').Reach[]} reaches beside those of bench/reach.json
 * @property {Rounds} rounds
 */

const directory = fileURLToPath(new URL('results/', import.meta.url))
const root = fileURLToPath(new URL('../', import.meta.url))

/** @param {string} id */
const fileOf = (id) => join(directory, `${id.replaceAll(' ', '-')}.json`)

/** The commit that is checked out. */
export function commitOf() {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}

/** @param {{ readonly bench: string, readonly title: string, readonly quick: boolean, readonly rounds: Rounds, readonly reaches: Result['reaches'] }} measured @returns {Result} */
export function resultOf({ bench, title, quick, rounds, reaches }) {
  return {
    bench,
    title,
    date: new Date().toISOString().slice(0, 10),
    commit: commitOf(),
    quick,
    machine: {
      cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
      memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
      os: `${type()} ${release()}`,
    },
    node: process.version,
    versions: versionsOf(Object.keys(rounds).filter((contender) => (rounds[contender] ?? []).length > 0)),
    reaches,
    rounds,
  }
}

/** One round a line, so that a change is a change of lines. @param {Result} result */
export function textOf({ rounds, ...head }) {
  const lines = Object.entries(rounds).map(
    ([name, of]) =>
      `    ${JSON.stringify(name)}: [\n${of.map((each) => `      ${JSON.stringify(each)}`).join(',\n')}\n    ]`,
  )
  const text = JSON.stringify(head, null, 2)
  return `${text.slice(0, -2)},\n  "rounds": {\n${lines.join(',\n')}\n  }\n}\n`
}

/** @param {Result} result */
export function keepResult(result) {
  mkdirSync(directory, { recursive: true })
  writeFileSync(fileOf(result.bench), textOf(result))
}

/** @returns {ReadonlyMap<string, Result>} by the bench's id */
export function allResults() {
  if (!existsSync(directory)) return new Map()
  const files = readdirSync(directory).filter((name) => name.endsWith('.json'))
  const results = files.sort().map((name) => JSON.parse(readFileSync(join(directory, name), 'utf8')))
  return new Map(results.map((result) => [result.bench, result]))
}
