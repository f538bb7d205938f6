/** Which version of a peer was measured, from the files that pin it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { CLIENT_NODE } from './peers.mjs'

/** @param {string} path */
const read = (path) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** @param {string} command @param {readonly string[]} args */
function said(command, args) {
  try {
    return execFileSync(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return 'unknown'
  }
}

/** @param {string} text @param {RegExp} pattern */
const found = (text, pattern) => pattern.exec(text)?.[1] ?? 'unknown'

const goVersion = () => found(said('go', ['version']), /go(\S+) /)
const rustVersion = () => found(said('rustc', ['--version']), /rustc (\S+)/)
/** @param {string} module */
const goModule = (module) => found(read('operator/go/go.mod'), new RegExp(`${module} v(\\S+)`))
const kubeRs = () => found(read('operator/rust/Cargo.lock'), /name = "kube"\nversion = "([^"]+)"/)

/** @type {readonly (readonly [beginning: string, version: () => string])[]} */
const PEERS = [
  ['ours', () => JSON.parse(read('../packages/operator/package.json')).version],
  ['floor', () => `Node ${process.versions.node}`],
  ['client-node', () => CLIENT_NODE.version],
  ['client-go', () => `${goModule('k8s.io/client-go')}, Go ${goVersion()}`],
  ['controller-runtime', () => `${goModule('sigs.k8s.io/controller-runtime')}, Go ${goVersion()}`],
  ['kube-apiserver', () => found(read('../conformance/control-plane/k8s/go.mod'), /k8s\.io\/kubernetes v(\S+)/)],
  ['kube-rs', () => `${kubeRs()}, Rust ${rustVersion()}`],
  ['kopf', () => `${found(read('operator/kopf/requirements.txt'), /kopf==(\S+)/)}, ${said('python3', ['--version'])}`],
]

/** @param {readonly string[]} contenders @returns {Record<string, string>} */
export function versionsOf(contenders) {
  return Object.fromEntries(
    contenders.map((name) => [name, PEERS.find(([beginning]) => name.startsWith(beginning))?.[1]() ?? 'unknown']),
  )
}
