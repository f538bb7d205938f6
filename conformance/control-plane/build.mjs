/**
 * Builds etcd, kube-apiserver, kube-controller-manager and kubectl from the Go module proxy, once.
 *
 * Guarantees: a directory that it names holds all four, complete; it is never half-written. The directory lies outside of
 * the checkout and is named after everything that decides what comes out: modules, checksums, Go, platform, this file.
 * Says something at least every 20 seconds while it works.
 * Assumes: Go on the PATH. GOPROXY, GOFLAGS, GOMODCACHE and the like are taken from the environment.
 *
 *     node conformance/control-plane/build.mjs    build what is missing, then print the directory
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const PROGRESS_EVERY_MS = 20_000

/** @typedef {{ readonly name: string, readonly module: 'etcd' | 'k8s', readonly path: string }} Command */
/** @type {readonly Command[]} */
const COMMANDS = [
  { name: 'etcd', module: 'etcd', path: 'go.etcd.io/etcd/server/v3' },
  { name: 'kube-apiserver', module: 'k8s', path: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kube-controller-manager', module: 'k8s', path: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  { name: 'kubectl', module: 'k8s', path: 'k8s.io/kubernetes/cmd/kubectl' },
]

/** An error whose message is all that a user needs: shown without a stack. */
export class ControlPlaneError extends Error {
  /** @override */
  name = 'ControlPlaneError'
}

/** @param {string} file */
const read = (file) => readFileSync(join(here, file), 'utf8')

/** The version of Kubernetes that go.mod pins, as in v1.36.3. */
function kubernetesVersion() {
  const version = /^require k8s\.io\/kubernetes (v\S+)$/m.exec(read('k8s/go.mod'))?.[1]
  if (version === undefined)
    throw new ControlPlaneError('k8s/go.mod does not require k8s.io/kubernetes on a line of its own.')
  return version
}

/** The least Go that both modules ask for, as in 1.26.0. */
function neededGo() {
  return /^go (\S+)$/m.exec(read('k8s/go.mod'))?.[1] ?? '1.26.0'
}

/**
 * @param {string} have @param {string} need both as in 1.26.8
 * @returns {boolean} whether `have` is `need` or newer
 */
export function isNewEnough(have, need) {
  const parts = (/** @type {string} */ text) => (/^\d+(\.\d+)*/.exec(text)?.[0] ?? '0').split('.').map(Number)
  const [a, b] = [parts(have), parts(need)]
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    if ((a[i] ?? 0) !== (b[i] ?? 0)) return (a[i] ?? 0) > (b[i] ?? 0)
  }
  return true
}

/** @param {NodeJS.ProcessEnv} env */
function goEnvironment(env) {
  // A go.mod that asks for a newer Go would otherwise download one without a word.
  return { ...env, CGO_ENABLED: '0', GOTOOLCHAIN: env['GOTOOLCHAIN'] ?? 'local' }
}

/**
 * @param {string} cwd @param {NodeJS.ProcessEnv} env
 * @returns {string[]} GOVERSION, GOOS, GOARCH
 */
function askGo(cwd, env) {
  const out = execFileSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], {
    cwd,
    env: goEnvironment(env),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return out.trim().split('\n')
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ readonly version: string, readonly platform: string }}
 */
function requireGo(env) {
  const advice = `Install Go ${neededGo()} or newer (https://go.dev/dl/, or your system's package manager), put it on the PATH, and run this again.`
  let answer = ['']
  try {
    // Inside the module, so that a toolchain that Go may switch to is the one that is asked.
    answer = askGo(join(here, 'k8s'), env)
  } catch {
    try {
      answer = askGo(tmpdir(), env)
    } catch {
      throw new ControlPlaneError(
        `The real control plane is built with Go, and there is no "go" on the PATH. ${advice}`,
      )
    }
  }
  const [version = '', os = '', arch = ''] = answer
  if (!isNewEnough(version.replace(/^go/, ''), neededGo())) {
    throw new ControlPlaneError(
      `The real control plane needs Go ${neededGo()} or newer, and "go" on the PATH is ${version}. ${advice}`,
    )
  }
  return { version, platform: `${os}/${arch}` }
}

/** @param {NodeJS.ProcessEnv} env */
function cacheDirectory(env) {
  return join(env['BINNACLE_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'binnacle')
}

/** @param {{ readonly version: string, readonly platform: string }} go */
function cacheKey(go) {
  const hash = createHash('sha256')
  for (const file of ['k8s/go.mod', 'k8s/go.sum', 'etcd/go.mod', 'etcd/go.sum', 'build.mjs'])
    hash.update(`${file}\n${read(file)}\n`)
  return `${kubernetesVersion()}-${hash.update(`${go.version} ${go.platform}`).digest('hex').slice(0, 12)}`
}

/** Makes /version tell the truth; without it the server says v0.0.0-master. A fixed date keeps builds byte-identical. */
function linkerFlags() {
  const version = kubernetesVersion()
  const [major = '', minor = ''] = version.slice(1).split('.')
  const values = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: 'module-proxy',
    buildDate: '1970-01-01T00:00:00Z',
  }
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']
  return packages.flatMap((at) => Object.entries(values).map(([name, value]) => `-X ${at}.${name}=${value}`)).join(' ')
}

/**
 * Runs one `go build` and reports what it is at.
 * @param {Command} command @param {string} out @param {NodeJS.ProcessEnv} env @param {(line: string) => void} say
 * @returns {Promise<void>}
 */
function goBuild(command, out, env, say) {
  const flags = `-s -w${command.module === 'k8s' ? ` ${linkerFlags()}` : ''}`
  const args = [
    'build',
    '-v',
    '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    '-ldflags',
    flags,
    '-o',
    join(out, command.name),
    command.path,
  ]
  const go = spawn('go', args, {
    cwd: join(here, command.module),
    env: goEnvironment(env),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  /** @type {string[]} */
  const tail = []
  const count = { downloaded: 0, compiled: 0 }
  createInterface({ input: go.stderr }).on('line', (line) => {
    if (line.startsWith('go: downloading ')) count.downloaded++
    else if (/^[\w.~/-]+$/.test(line)) count.compiled++
    else tail.push(line)
    if (tail.length > 40) tail.shift()
  })
  const begun = Date.now()
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`
  const progress = () => `${seconds()}, ${count.downloaded} modules fetched, ${count.compiled} packages compiled`
  const timer = setInterval(() => say(`  ${command.name}: ${progress()}`), PROGRESS_EVERY_MS)
  const stop = () => go.kill()
  process.once('exit', stop)
  return new Promise((resolve, reject) => {
    go.on('error', reject)
    go.on('close', (code) => {
      clearInterval(timer)
      process.removeListener('exit', stop)
      if (code === 0) say(`  ${command.name}: built (${progress()})`)
      if (code === 0) resolve()
      else reject(new ControlPlaneError(`go build of ${command.name} failed after ${seconds()}:\n${tail.join('\n')}`))
    })
  })
}

/** @param {string} directory */
const isComplete = (directory) => COMMANDS.every(({ name }) => existsSync(join(directory, name)))

/**
 * Builds into a directory beside the final one and moves it there, so that nobody ever sees half of it.
 * @param {string} target @param {NodeJS.ProcessEnv} env @param {(line: string) => void} say
 */
async function buildInto(target, env, say) {
  mkdirSync(dirname(target), { recursive: true })
  const work = mkdtempSync(`${target}.building-`)
  const clean = () => rmSync(work, { recursive: true, force: true })
  process.once('exit', clean)
  try {
    for (const command of COMMANDS) await goBuild(command, work, env, say)
    // Whoever else was building at the same time may have been first; then theirs is as good as ours.
    if (!isComplete(target)) renameSync(work, target)
  } finally {
    clean()
    process.removeListener('exit', clean)
  }
}

/**
 * @param {object} [options]
 * @param {NodeJS.ProcessEnv} [options.env] where settings come from. Default: the environment of this process
 * @param {(line: string) => void} [options.say] hears about progress. Default: standard error
 * @returns {Promise<string>} the directory with the four binaries
 */
export async function buildControlPlane({ env = process.env, say = console.error } = {}) {
  const go = requireGo(env)
  const target = join(cacheDirectory(env), 'control-plane', cacheKey(go))
  if (isComplete(target)) return target
  say(`Building Kubernetes ${kubernetesVersion()} and etcd with ${go.version}, once, into ${target}`)
  say('  (with empty Go caches about ten minutes on two cores; with warm ones about one)')
  await buildInto(target, env, say)
  return target
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => process.exit(130))
  try {
    console.log(await buildControlPlane())
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}
