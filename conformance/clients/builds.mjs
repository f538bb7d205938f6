/**
 * Other people's clients, each built or installed once from its registry, outside of the checkout: client-go and controller-runtime by Go, kube-rs by
 * Cargo, Kopf by pip, client-node by npm, kubectl with the control plane.
 *
 * Guarantees: what it returns is complete; a build that was cut short is made anew. A directory is named after everything that decides what comes out:
 * sources, pinned versions, toolchain. Without a toolchain it throws a BuildError that says what to install; nothing is ever left out in silence.
 * Says something at least every 20 seconds while it works.
 *
 *     node conformance/clients/builds.mjs    build what is missing
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { withLock } from '../../scripts/lock.mjs'
import { buildControlPlane } from '../control-plane/build.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const PROGRESS_EVERY_MS = 20_000
const CLIENT_NODE = '@kubernetes/client-node@1.4.0'

/** An error whose message is all that a user needs. */
export class BuildError extends Error {
  /** @override */
  name = 'BuildError'
}

/** @typedef {readonly [command: string, args: readonly string[], options?: { readonly cwd?: string, readonly env?: NodeJS.ProcessEnv }]} Step */
/**
 * @typedef {object} Recipe
 * @property {string} name
 * @property {readonly [command: string, ...args: string[]]} toolchain prints its version
 * @property {string} advice what to do where there is none
 * @property {string} [folder] its sources, beside this file
 * @property {string} [pinned] what is pinned elsewhere than in the sources
 * @property {(home: string) => readonly Step[]} steps
 */

/** @type {{ readonly [name in 'go' | 'rust' | 'kopf' | 'client-node']: Recipe }} */
const RECIPES = {
  go: {
    name: 'client-go and controller-runtime',
    toolchain: ['go', 'version'],
    advice: 'Install Go 1.26 or newer (https://go.dev/dl/)',
    folder: 'go',
    steps: (home) => [
      ['go', ['build', '-mod=readonly', '-buildvcs=false', '-o', `${home}/`, './...'], { cwd: join(here, 'go') }],
    ],
  },
  rust: {
    name: 'kube-rs',
    toolchain: ['cargo', '--version'],
    advice: 'Install Rust (https://rustup.rs)',
    folder: 'rust',
    steps: (home) => [
      ['cargo', ['build', '--locked'], { cwd: join(here, 'rust'), env: { CARGO_TARGET_DIR: join(home, 'target') } }],
    ],
  },
  kopf: {
    name: 'Kopf',
    toolchain: ['python3', '--version'],
    advice: 'Install Python 3.10 or newer, with its modules venv and pip',
    pinned: readFileSync(join(here, 'kopf/requirements.txt'), 'utf8'),
    steps: (home) => [
      ['python3', ['-m', 'venv', home]],
      [join(home, 'bin/python'), ['-m', 'pip', 'install', '-q', '-r', join(here, 'kopf/requirements.txt')]],
    ],
  },
  'client-node': {
    name: 'client-node',
    toolchain: ['node', '--version'],
    advice: 'Install Node 20.19 or newer',
    pinned: CLIENT_NODE,
    steps: (home) => [
      [
        'npm',
        ['install', '--prefix', home, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', CLIENT_NODE],
      ],
    ],
  },
}

/** @param {Recipe} recipe */
function versionOf({ name, toolchain: [command, ...args], advice }) {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  } catch {
    throw new BuildError(
      `${name} is built with ${command}, and there is none on the PATH. ${advice}, and run this again.`,
    )
  }
}

/** @param {string} folder @returns {string[]} */
function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** @param {keyof typeof RECIPES} key */
function homeOf(key) {
  const recipe = RECIPES[key]
  const hash = createHash('sha256')
    .update(versionOf(recipe))
    .update(recipe.pinned ?? '')
  const sources = recipe.folder === undefined ? [] : filesIn(join(here, recipe.folder)).sort()
  for (const file of sources) hash.update(file.slice(here.length)).update(readFileSync(file))
  const cache = process.env['BINNACLE_CACHE'] || process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  return join(cache, 'binnacle/clients', `${key}-${hash.digest('hex').slice(0, 12)}`)
}

/** @param {string} name @param {Step} step @param {(line: string) => void} say @returns {Promise<void>} */
function run(name, [command, args, { cwd, env } = {}], say) {
  const begun = Date.now()
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let tail = ''
  const keep = (/** @type {Buffer} */ chunk) => {
    tail = `${tail}${chunk}`.slice(-4000)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const last = () => tail.trim().split('\n').at(-1)?.trim() ?? ''
  const timer = setInterval(() => say(`  ${name}: ${seconds()}, ${last()}`), PROGRESS_EVERY_MS)
  const stop = () => child.kill()
  process.once('exit', stop)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearInterval(timer)
      process.removeListener('exit', stop)
      const line = [command, ...args].join(' ')
      if (code === 0) resolve()
      else
        reject(new BuildError(`${name} could not be built: "${line}" ended with ${code} after ${seconds()}:\n${tail}`))
    })
  })
}

/** @param {keyof typeof RECIPES} key @param {(line: string) => void} [say] @returns {Promise<string>} the directory that holds it */
async function built(key, say = console.error) {
  const home = homeOf(key)
  const mark = join(home, 'complete')
  if (existsSync(mark)) return home
  const { name, steps } = RECIPES[key]
  const build = async () => {
    if (existsSync(mark)) return
    say(`Building ${name}, once, into ${home}`)
    rmSync(home, { recursive: true, force: true })
    mkdirSync(home, { recursive: true })
    const begun = Date.now()
    for (const step of steps(home)) await run(name, step, say)
    writeFileSync(mark, '')
    say(`  ${name}: built in ${Math.round((Date.now() - begun) / 1000)} s`)
  }
  await withLock(`${home}.lock`, build, { onWait: () => say(`Another run is building ${name}; waiting for it …`) })
  return home
}

/** @param {'informer' | 'reconciler'} program @returns {Promise<string>} its path */
export const goProgram = async (program) => join(await built('go'), program)

/** @returns {Promise<string>} the path of the program */
export const rustProgram = async () => join(await built('rust'), 'target/debug/kube-rs-controller')

/** @returns {Promise<string>} the path of a Python that has Kopf */
export const kopfPython = async () => join(await built('kopf'), 'bin/python')

/** @returns {Promise<string>} the directory of the package */
export const clientNode = async () => join(await built('client-node'), 'node_modules/@kubernetes/client-node')

/** @returns {Promise<string>} its path; its version is that of the control plane which was recorded */
export const kubectlProgram = async () => join(await buildControlPlane(), 'kubectl')

/** All of it. @param {(line: string) => void} say */
export async function buildClients(say) {
  await buildControlPlane({ say })
  for (const key of /** @type {const} */ (['go', 'rust', 'kopf', 'client-node'])) await built(key, say)
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildClients(console.log)
