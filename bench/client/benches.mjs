/** What the client is measured by. Its reaches are in bench/reach.json. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newAuthority, newCertificate } from '../../conformance/control-plane/certificates.mjs'
import { CLIENT_NODE, installed } from '../peers.mjs'
import { figuresOf, nodeProgram, startServer } from '../programs.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').Figures} Figures */

export const names = ['import', 'requests', 'list']

/** @param {string} file */
const here = (file) => new URL(file, import.meta.url)

/** One run of a program in its own process. @param {string} file @param {object} given @returns {Promise<Figures>} */
function run(file, given) {
  return figuresOf(nodeProgram(here(file), [JSON.stringify({ peer: installed(CLIENT_NODE), ...given })]))
}

/** @param {object} given */
function serve(given) {
  return startServer(here('../data/server.mjs'), [JSON.stringify(given)])
}

const NOTHING = async () => {}

/** @returns {Promise<Bench>} */
async function importBench() {
  const contender = (/** @type {string} */ who) => () => run('import.mjs', { who })
  return {
    name: 'import',
    contenders: { ours: contender('ours'), 'client-node': contender('client-node') },
    close: NOTHING,
  }
}

/** @param {boolean} quick @returns {Promise<Bench>} */
async function requestsBench(quick) {
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
  const server = await serve({ pods: 0, ...files })
  const contender = (/** @type {string} */ who) => () =>
    run('requests.mjs', {
      who,
      url: `https://127.0.0.1:${server.port}`,
      ca: authority.certificate,
      total: quick ? 500 : 2000,
      parallel: 20,
    })
  return {
    name: 'requests',
    contenders: { ours: contender('ours'), 'client-node': contender('client-node') },
    close: async () => {
      server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** @param {number} pods @returns {Promise<Bench>} */
async function listBench(pods) {
  const server = await serve({ pods })
  const contender = (/** @type {string} */ who) => () =>
    run('list.mjs', { who, pods, url: `http://127.0.0.1:${server.port}` })
  return {
    name: `list of ${pods.toLocaleString('en-US')} pods of 5 KB`,
    contenders: { ours: contender('ours'), floor: contender('floor'), 'client-node': contender('client-node') },
    close: async () => server.stop(),
  }
}

/** @param {string} name @param {{ readonly quick: boolean }} options @returns {Promise<Bench>} */
export function open(name, { quick }) {
  if (name === 'import') return importBench()
  return name === 'requests' ? requestsBench(quick) : listBench(quick ? 5000 : 50_000)
}
