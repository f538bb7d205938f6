/**
 * Makes a clone ready to use: installs what package-lock.json asks for, if it is not there, and builds what has changed.
 * Runs before `npm start`, `npm test`, `npm run check`, `npm run test:real` and `npm run test:clients`; uses nothing but Node and npm.
 *
 * Guarantees: installs only when something is missing, so that a second run needs no network; two runs at once wait for each
 * other; on failure it says what failed and exits with 1.
 *
 *     node scripts/prepare.mjs                   install and build
 *     node scripts/prepare.mjs --install-only    for those who build by themselves
 */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stamp, whyInstall } from './installed.mjs'
import { withLock } from './lock.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const NEEDED_NODE = [20, 19]
const WORTH_A_WORD_MS = 1_500
const STILL_AT_IT_MS = 15_000

function nodeIsTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE
  return major < neededMajor || (major === neededMajor && minor < neededMinor)
}

/**
 * @param {string} what shown when it takes long, as in "Installing"
 * @param {string} program @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
function run(what, program, args) {
  const begun = Date.now()
  const shell = process.platform === 'win32' && program.endsWith('.cmd')
  const child = spawn(program, args, { cwd: root, shell, stdio: ['ignore', 'inherit', 'inherit'] })
  const timer = setInterval(
    () => console.log(`${what}: ${Math.round((Date.now() - begun) / 1000)} s so far`),
    STILL_AT_IT_MS,
  )
  const stop = () => child.kill()
  process.once('exit', stop)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearInterval(timer)
      process.removeListener('exit', stop)
      resolve(code ?? 1)
    })
  })
}

/** The npm that runs us, where one does; otherwise the one on the PATH. @param {readonly string[]} args */
function npm(args) {
  const path = process.env['npm_execpath']
  if (path !== undefined && /\bnpm-cli\.c?js$/.test(path)) return run('Installing', process.execPath, [path, ...args])
  return run('Installing', process.platform === 'win32' ? 'npm.cmd' : 'npm', args)
}

/** @returns {Promise<boolean>} */
async function install() {
  const why = whyInstall(root)
  if (why === undefined) return true
  console.log(`Installing (${why}) …`)
  const code = await npm(['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'])
  if (code !== 0) {
    console.error(
      'npm ci failed; its message is above. Without a network only a clone that was installed before can run.',
    )
    return false
  }
  stamp(root)
  const still = whyInstall(root)
  if (still !== undefined) console.error(`npm ci ended well, and yet ${still}. Please report this.`)
  return still === undefined
}

/** @returns {Promise<boolean>} */
async function build() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const notice = setTimeout(() => console.log('Building …'), WORTH_A_WORD_MS)
  const code = await run('Building', process.execPath, [tsc, '-b', ...(process.stdout.isTTY ? ['--pretty'] : [])])
  // Read only now: before the installation there may be nothing to bundle with.
  if (code === 0) await (await import('./bundle.mjs')).bundle()
  clearTimeout(notice)
  if (code !== 0) console.error('The build failed; the errors are above.')
  return code === 0
}

async function main() {
  if (nodeIsTooOld()) {
    console.error(
      `Binnacle needs Node ${NEEDED_NODE.join('.')} or newer, and this is ${process.version}: see https://nodejs.org/en/download.`,
    )
    return false
  }
  const onWait = () => console.log('Another run is installing or building here; waiting for it …')
  const buildToo = !process.argv.includes('--install-only')
  return withLock(
    join(root, '.binnacle/prepare.lock'),
    async () => (await install()) && (!buildToo || (await build())),
    { onWait },
  )
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))
process.exitCode = (await main()) ? 0 : 1
