/** What a user pays before the first object is seen: start, idle memory, import, size. Reaches are in bench/reach.json. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kopfPython } from '../data/kopf.mjs'
import { goProgram, kubeRs } from '../operator/peers.mjs'
import { CLIENT_NODE, installed } from '../peers.mjs'
import { figuresOf, nodeProgram, startServer } from '../programs.mjs'
import { firstList } from './first-list.mjs'
import { installedSize } from './size.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */
/** @typedef {import('../bench.mjs').OpenOptions} OpenOptions */

export const names = ['first', 'import', 'size']

/** @param {string} name */
const here = (name) => new URL(name, import.meta.url)
/** @param {string} name */
const path = (name) => fileURLToPath(here(name))
const NOTHING = async () => {}

/** @param {string} directory @param {string} server */
function kubeconfigIn(directory, server) {
  const file = join(directory, 'kubeconfig')
  const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }]
  const named = { clusters: [{ name: 'c', cluster: { server } }], users: [{ name: 'u', user: {} }], contexts }
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...named, 'current-context': 'x' }))
  return file
}

/** @param {OpenOptions} options @returns {Promise<Bench>} */
async function firstBench({ quick, check }) {
  const server = await startServer(here('server.mjs'), [])
  const url = `http://127.0.0.1:${server.port}`
  const idle = quick ? 1 : 5
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const env = { KUBECONFIG: kubeconfigIn(directory, url), CLIENT_NODE: installed(CLIENT_NODE) }
  /** @param {string} command @param {readonly string[]} args */
  const started = (command, args) => () => firstList({ url, command, args, env, idle })
  const [python, rust, go] = [check ? undefined : kopfPython(), check ? undefined : kubeRs(), goProgram('operator')]
  return {
    name: 'from the start of a process to its first list, and idle afterwards; no objects',
    contenders: {
      ours: started(process.execPath, [path('binnacle.mjs'), url]),
      floor: started(process.execPath, [path('floor.mjs'), url]),
      'client-node': started(process.execPath, [path('client-node.mjs'), url]),
      ...(python && { kopf: started(python, [path('kopf_program.py'), url]) }),
      ...(rust && { 'kube-rs': started(rust, []) }),
      ...(go && { 'controller-runtime': started(go, ['-server', url]) }),
    },
    close: async () => {
      server.stop()
      rmSync(directory, { recursive: true })
    },
  }
}

/** @returns {Promise<Bench>} */
async function importBench() {
  const env = { CLIENT_NODE: installed(CLIENT_NODE) }
  return {
    name: 'import of binnacle',
    contenders: {
      ours: () => figuresOf(nodeProgram(here('import.mjs'), ['ours'], env)),
      'client-node': () => figuresOf(nodeProgram(here('import.mjs'), ['client-node'], env)),
    },
    close: NOTHING,
  }
}

/** @returns {Promise<Bench>} */
async function sizeBench() {
  const measured = installedSize()
  return { name: 'what npm install binnacle brings', contenders: { ours: () => measured }, rounds: 1, close: NOTHING }
}

/** @param {string} name @param {OpenOptions} options @returns {Promise<Bench>} */
export function open(name, options) {
  if (name === 'first') return firstBench(options)
  return name === 'import' ? importBench() : sizeBench()
}
