/**
 * A real Kubernetes API server for tests: etcd, kube-apiserver and kube-controller-manager on loopback.
 *
 * Guarantees: when `startControlPlane` returns, the server is ready and the default namespace exists; when it throws,
 * nothing that it started still runs. `stop` ends exactly what was started; so does the end of this process, however it
 * comes (see guard.mjs), unless `detached` was asked for.
 * Does not guarantee: durability, nor a version of Kubernetes other than the one in k8s/go.mod.
 * Assumes: binaries of build.mjs, which is called where none are named.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildControlPlane, ControlPlaneError } from './build.mjs'
import { prepareFiles } from './files.mjs'
import { apiServerFlags, controllerManagerFlags, etcdFlags } from './flags.mjs'
import { ServerProcess } from './server-process.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const READY_WITHIN_MS = 90_000
const ASK_EVERY_MS = 50
const ATTEMPTS = 3

/** @typedef {import('./files.mjs').Ports} Ports */
/** @typedef {import('./files.mjs').Files} Files */
/**
 * @typedef {object} ControlPlaneOptions
 * @property {string} [dir] where its files go; kept after the stop, and a second start on it finds its data again.
 *   Default: a temporary directory that goes with the control plane
 * @property {boolean} [controllerManager] also run garbage collection and the deletion of namespaces. Default: true
 * @property {Ports} [ports] Default: free ones
 * @property {readonly string[]} [apiServerFlags] added to those of flags.mjs
 * @property {string} [binaries] directory with the four programs. Default: that of build.mjs, built if absent
 * @property {boolean} [detached] leave it running when this process ends; stopped by down.mjs. Needs `dir`. Default: false
 * @property {(line: string) => void} [say] hears about progress. Default: standard error
 */
/**
 * @typedef {object} ControlPlane
 * @property {string} serverUrl
 * @property {string} etcdUrl
 * @property {string} kubeconfig path; an administrator
 * @property {string} userKubeconfig path; a user without any rights
 * @property {string} kubectl path of a kubectl of the same version
 * @property {string} dir
 * @property {() => Promise<void>} stop
 * @property {(options?: { readonly abruptly?: boolean }) => Promise<void>} restartApiServer the same server on the same
 *   port, with an empty watch cache; `abruptly` cuts connections instead of closing them
 */

/** @returns {Promise<Ports>} three ports that nobody listens on */
async function freePorts() {
  const servers = [createServer(), createServer(), createServer()]
  for (const server of servers) await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)))
  const [api = 0, etcd = 0, etcdPeer = 0] = servers.map((server) => {
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  })
  for (const server of servers) await new Promise((done) => server.close(done))
  return { api, etcd, etcdPeer }
}

/**
 * @param {string} url @param {Files} files
 * @returns {Promise<number>} the HTTP status; 0 where nobody answers
 */
function statusOf(url, { ca, token }) {
  return new Promise((done) => {
    const request = get(
      url,
      { ca, agent: false, headers: { authorization: `Bearer ${token}` }, timeout: 5_000 },
      (answer) => {
        answer.resume()
        done(answer.statusCode ?? 0)
      },
    )
    request.on('timeout', () => request.destroy())
    request.on('error', () => done(0))
  })
}

/**
 * @param {string} serverUrl @param {Files} files @param {readonly ServerProcess[]} processes that must live meanwhile
 */
async function untilReady(serverUrl, files, processes) {
  const deadline = Date.now() + READY_WITHIN_MS
  // Ready does not yet mean that the namespace "default" was made: a controller in the server does so a moment later.
  for (const path of ['/readyz', '/api/v1/namespaces/default']) {
    while ((await statusOf(serverUrl + path, files)) !== 200) {
      const dead = processes.find((process) => process.ended)
      if (dead !== undefined)
        throw new ControlPlaneError(`${dead.name} ended before it was ready. Its last words:\n${dead.logTail()}`)
      if (Date.now() > deadline)
        throw new ControlPlaneError(`${path} did not answer 200 within ${READY_WITHIN_MS / 1000} s.`)
      await wait(ASK_EVERY_MS)
    }
  }
}

/** Tells the guard what to kill should this process vanish. */
class Guard {
  #child

  /** @param {string | undefined} temporaryDirectory */
  constructor(temporaryDirectory) {
    const args = temporaryDirectory === undefined ? [] : [temporaryDirectory]
    this.#child = spawn(process.execPath, [join(here, 'guard.mjs'), ...args], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    this.#child.stdin.on('error', () => {})
    this.#child.unref()
    if ('unref' in this.#child.stdin && typeof this.#child.stdin.unref === 'function') this.#child.stdin.unref()
  }

  /** @param {ServerProcess} process */
  watch(process) {
    this.#child.stdin.write(`+${process.pid}\n`)
  }

  /** @param {ServerProcess} process */
  forget(process) {
    this.#child.stdin.write(`-${process.pid}\n`)
  }

  dismiss() {
    this.#child.stdin.end()
  }
}

/** The running processes of one control plane. */
class Processes {
  #options
  /** @type {Map<string, ServerProcess>} in the order of their start */
  #running = new Map()

  /** @param {{ readonly dir: string, readonly binaries: string, readonly guard: Guard | undefined }} options */
  constructor(options) {
    this.#options = options
  }

  get all() {
    return [...this.#running.values()]
  }

  /** @param {string} name @param {readonly string[]} args */
  start(name, args) {
    const { dir, binaries, guard } = this.#options
    const process = new ServerProcess(join(binaries, name), args, { log: join(dir, `${name}.log`), cwd: dir })
    if (process.pid !== undefined) guard?.watch(process)
    this.#running.set(name, process)
    this.#record()
  }

  /** @param {string} name @param {'SIGTERM' | 'SIGKILL'} signal */
  async stop(name, signal) {
    const process = this.#running.get(name)
    if (process === undefined) return
    await process.stop(signal)
    if (process.pid !== undefined) this.#options.guard?.forget(process)
    this.#running.delete(name)
    this.#record()
  }

  /** @param {'SIGTERM' | 'SIGKILL'} signal */
  async stopAll(signal) {
    for (const name of [...this.#running.keys()].reverse()) await this.stop(name, signal)
  }

  /** For down.mjs, and for whoever looks into the directory. */
  #record() {
    const list = this.all.map(({ name, pid }) => ({ name, pid }))
    writeFileSync(join(this.#options.dir, 'processes.json'), `${JSON.stringify(list, null, 2)}\n`)
  }
}

/**
 * @param {ControlPlaneOptions} options @param {string} binaries @param {Ports} ports
 * @returns {Promise<ControlPlane>}
 */
async function startOn(options, binaries, ports) {
  const { detached = false, controllerManager = true } = options
  const temporary = options.dir === undefined
  const dir = options.dir === undefined ? mkdtempSync(join(tmpdir(), 'binnacle-control-plane-')) : resolve(options.dir)
  const guard = detached ? undefined : new Guard(temporary ? dir : undefined)
  const files = prepareFiles(dir, ports)
  const serverUrl = `https://127.0.0.1:${ports.api}`
  const processes = new Processes({ dir, binaries, guard })
  const startApiServer = () =>
    processes.start('kube-apiserver', [...apiServerFlags(dir, ports), ...(options.apiServerFlags ?? [])])

  const stop = async () => {
    // What is thrown away needs no farewell, and a graceful end of kube-apiserver takes four seconds.
    await processes.stopAll(temporary ? 'SIGKILL' : 'SIGTERM')
    if (temporary) rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    guard?.dismiss()
  }
  try {
    processes.start('etcd', etcdFlags(dir, ports))
    startApiServer()
    await untilReady(serverUrl, files, processes.all)
    if (controllerManager) processes.start('kube-controller-manager', controllerManagerFlags(files.kubeconfig))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    dir,
    serverUrl,
    etcdUrl: `http://127.0.0.1:${ports.etcd}`,
    kubeconfig: files.kubeconfig,
    userKubeconfig: files.userKubeconfig,
    kubectl: join(binaries, 'kubectl'),
    stop,
    async restartApiServer({ abruptly = false } = {}) {
      await processes.stop('kube-apiserver', abruptly ? 'SIGKILL' : 'SIGTERM')
      startApiServer()
      await untilReady(serverUrl, files, processes.all)
    },
  }
}

/**
 * @param {ControlPlaneOptions} [options]
 * @returns {Promise<ControlPlane>}
 */
export async function startControlPlane(options = {}) {
  if (options.detached === true && options.dir === undefined) {
    throw new ControlPlaneError('A control plane that outlives its starter needs a directory: say which with "dir".')
  }
  const binaries = options.binaries ?? (await buildControlPlane(options.say === undefined ? {} : { say: options.say }))
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOn(options, binaries, options.ports ?? (await freePorts()))
    } catch (error) {
      // Between finding a free port and listening on it somebody else may take it.
      const taken = error instanceof ControlPlaneError && error.message.includes('address already in use')
      if (!taken || options.ports !== undefined || attempt === ATTEMPTS) throw error
    }
  }
}
