/**
 * Everything that is checked about the code besides its tests. All checks run, even when one fails.
 */
import { join } from 'node:path'
import { drift } from '../bench/publish/publish.mjs'
import { bundle } from './bundle.mjs'
import { root, tool } from './checks/command.mjs'
import { checkDependencies } from './checks/dependencies.mjs'
import { checkPackages } from './checks/packages.mjs'
import { checkStyle } from './checks/style.mjs'
import { checkLayering, sentenceOf } from './layering.mjs'
import { faults as lockfileFaults, readLockfile } from './lockfile.mjs'
import { checkTestIds } from './test-ids.mjs'

/** @typedef {{ readonly only: readonly string[], readonly record: boolean, readonly help: boolean }} Arguments */
/** @typedef {{ readonly name: string, readonly about: string, readonly run: (given: Arguments) => Promise<readonly string[]> }} Check */

/** @param {import('./checks/command.mjs').Ended} ended @returns {string[]} */
const complaint = ({ code, output }) => (code === 0 ? [] : [output.trim()])

const pretty = process.stdout.isTTY ? ['--pretty'] : []

/** @type {readonly Check[]} */
const CHECKS = [
  {
    name: 'types',
    about: 'the sources compile (tsc -b), and so do tests and scripts',
    run: async () => [
      ...complaint(await tool('typescript/bin/tsc', ['-b', ...pretty])),
      ...complaint(await tool('typescript/bin/tsc', ['-p', 'tsconfig.tests.json', ...pretty])),
    ],
  },
  {
    name: 'lint',
    about: 'lint and format (biome); "npm run format" repairs most of it',
    run: async () => complaint(await tool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.'])),
  },
  {
    name: 'layering',
    about: 'who imports whom, as in ARCHITECTURE.md (dependency-cruiser)',
    run: async () => {
      const { violations } = await checkLayering(root, ['packages', 'examples', 'conformance'])
      return violations.map(sentenceOf)
    },
  },
  {
    name: 'dead-code',
    about: 'no file, export or dependency that nobody uses (knip)',
    run: async () => complaint(await tool('knip/bin/knip.js', ['--no-progress', '--no-config-hints'])),
  },
  {
    name: 'packages',
    about: 'the packages as users get them: npm pack, publint, attw',
    run: async () => {
      await bundle()
      return checkPackages()
    },
  },
  {
    name: 'lockfile',
    about: 'package-lock.json is complete and names no registry',
    run: async () => lockfileFaults(readLockfile(join(root, 'package-lock.json'))),
  },
  {
    name: 'dependencies',
    about: 'each dependency has its reason in docs/dependencies.md',
    run: async () => checkDependencies(),
  },
  {
    name: 'benchmarks',
    about: 'docs/benchmarks and the figures of README.md are what bench/results make of them',
    run: async () => drift(),
  },
  {
    name: 'test-ids',
    about: 'each rule of the cache has a test that cites its id (scripts/test-ids.json)',
    run: checkTestIds,
  },
  {
    name: 'style',
    about:
      'sizes do not grow, no test is left out, nothing is left open (--record takes present sizes as the new record)',
    run: async ({ record }) => checkStyle(record),
  },
]

const HELP = `Checks everything about the code besides its tests.

  npm run check                              all checks
  npm run check -- --only layering,types     some of them
  npm run check -- --help                    this text

${CHECKS.map(({ name, about }) => `  ${name.padEnd(13)} ${about}`).join('\n')}
`

/** @param {readonly string[]} args @returns {Arguments | string} what was asked for, or what is wrong with it */
function parseArguments(args) {
  let only = CHECKS.map(({ name }) => name)
  let record = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    if (arg === '--help' || arg === '-h') return { only, record, help: true }
    if (arg === '--record') record = true
    else if (arg === '--only') only = (args[++at] ?? '').split(',')
    else if (arg.startsWith('--only=')) only = arg.slice('--only='.length).split(',')
    else return `Unknown argument "${arg}".`
  }
  const unknown = only.find((name) => !CHECKS.some((check) => check.name === name))
  return unknown === undefined ? { only, record, help: false } : `There is no check "${unknown}".`
}

/** @param {Check} check @param {Arguments} given @returns {Promise<readonly string[]>} a check that throws has failed */
async function faultsOf(check, given) {
  try {
    return await check.run(given)
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  }
}

/** @param {Check} check @param {Arguments} given @returns {Promise<boolean>} */
async function perform(check, given) {
  const begun = Date.now()
  const faults = await faultsOf(check, given)
  const seconds = `${((Date.now() - begun) / 1000).toFixed(1)} s`
  console.log(`${faults.length === 0 ? 'ok    ' : 'FAILED'}  ${check.name.padEnd(13)} ${seconds.padStart(7)}`)
  for (const fault of faults) console.log(fault.replace(/^/gm, '        '))
  return faults.length === 0
}

/** @param {Arguments} given */
async function main(given) {
  let passed = 0
  let failed = 0
  for (const check of CHECKS.filter(({ name }) => given.only.includes(name))) {
    if (await perform(check, given)) passed++
    else failed++
  }
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))

const given = parseArguments(process.argv.slice(2))
if (typeof given === 'string') {
  console.error(`${given}\n\n${HELP}`)
  process.exitCode = 2
} else if (given.help) console.log(HELP)
else await main(given)
