/** What the client is measured by, with its reaches. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newAuthority, newCertificate } from '../../conformance/control-plane/certificates.mjs'
import { CLIENT_NODE, installed } from '../peers.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */

export const names = ['import', 'requests', 'list']

/** @param {string} file */
const path = (file) => fileURLToPath(new URL(file, import.meta.url))

/** One run of a program in its own process. @param {string} file @param {object} given @returns {Promise<Figures>} */
async function run(file, given) {
  const peer = installed(CLIENT_NODE)
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    path(file),
    JSON.stringify({ peer, ...given }),
  ])
  return JSON.parse(stdout)
}

/** @param {object} given @returns {Promise<{ port: number, stop: () => void }>} */
async function startServer(given) {
  const child = spawn(process.execPath, [path('../data/server.mjs'), JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = await once(child.stdout, 'data')
  return { port: Number(String(line)), stop: () => child.kill() }
}

const NOTHING = async () => {}

/** @returns {Promise<Bench>} */
async function importBench() {
  const contender = (/** @type {string} */ who) => () => run('import.mjs', { who })
  return {
    name: 'import',
    contenders: { ours: contender('ours'), 'client-node': contender('client-node') },
    reaches: [
      { figure: 'importMs', peer: 'client-node', atMost: 0.2 },
      { figure: 'rssMB', peer: 'client-node', atMost: 0.3 },
    ],
    close: NOTHING,
  }
}

/** @returns {Promise<Bench>} */
async function requestsBench() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  const authority = newAuthority('bench')
  const { key, certificate } = newCertificate(
    authority,
    { commonName: 'server' },
    { use: 'server', hosts: ['127.0.0.1'] },
  )
  const files = { key: join(directory, 'key.pem'), certificate: join(directory, 'cert.pem') }
  writeFileSync(files.key, key)
  writeFileSync(files.certificate, certificate)
  const server = await startServer({ pods: 0, ...files })
  const contender = (/** @type {string} */ who) => () =>
    run('requests.mjs', {
      who,
      url: `https://127.0.0.1:${server.port}`,
      ca: authority.certificate,
      total: 2000,
      parallel: 20,
    })
  return {
    name: 'requests',
    contenders: { ours: contender('ours'), 'client-node': contender('client-node') },
    reaches: [
      { figure: 'perSecond', peer: 'client-node', atLeast: 8 },
      // What stays comparable when the machine has other work: the time that the processor spent on one request.
      { figure: 'cpuMicros', peer: 'client-node', atMost: 0.125 },
      { figure: 'connections', atMost: 32 },
    ],
    close: async () => {
      server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** @returns {Promise<Bench>} */
async function listBench() {
  const server = await startServer({ pods: 50_000 })
  const contender = (/** @type {string} */ who) => () =>
    run('list.mjs', { who, url: `http://127.0.0.1:${server.port}` })
  return {
    name: 'list of 50,000 pods of 5 KB',
    contenders: { ours: contender('ours'), floor: contender('floor'), 'client-node': contender('client-node') },
    reaches: [
      { figure: 'ms', peer: 'floor', atMost: 1.15 },
      { figure: 'cpuMs', peer: 'floor', atMost: 1.15 },
      { figure: 'loopBlockedMs', atMost: 60 },
      { figure: 'ms', peer: 'client-node', atMost: 1 },
      { figure: 'peakRssMB', peer: 'client-node', atMost: 1 },
    ],
    close: async () => server.stop(),
  }
}

/** @param {string} name @returns {Promise<Bench>} */
export function open(name) {
  if (name === 'import') return importBench()
  return name === 'requests' ? requestsBench() : listBench()
}
