/** The two servers that are compared, each in processes of its own, over TLS, with permissions enforced; neither waits for a disk. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startControlPlane } from '../../conformance/control-plane/control-plane.mjs'

/**
 * @typedef {object} Server
 * @property {string} kubeconfig path; an administrator
 * @property {number} ms from its start until it was ready
 * @property {() => number} rssMB what its processes hold
 * @property {() => Promise<void>} stop
 */

const bin = fileURLToPath(new URL('../../packages/cli/dist/bin.js', import.meta.url))

/** `binnacle cluster`, as a user starts it. @param {readonly string[]} flags @returns {Promise<Server>} */
export async function embedded(flags = ['--rbac']) {
  const dir = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const kubeconfig = join(dir, 'kubeconfig')
  const begun = performance.now()
  const args = [bin, 'cluster', ...flags, '--kubeconfig', kubeconfig]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const failed = ended.then(() => Promise.reject(new Error('binnacle cluster ended before it was ready')))
  // It prints its address once it answers.
  await Promise.race([once(child.stdout, 'data'), failed])
  failed.catch(() => {})
  const ms = performance.now() - begun
  return {
    kubeconfig,
    ms,
    rssMB: () => rssOf(child.pid ?? 0),
    stop: async () => {
      child.kill()
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** kube-apiserver with etcd, which does not sync; of its controllers those that run with tests, unless told otherwise. @returns {Promise<Server>} */
export async function original({ controllerManager = true } = {}) {
  const begun = performance.now()
  const plane = await startControlPlane({ controllerManager, say: console.error })
  const ms = performance.now() - begun
  /** @type {{ name: string, pid: number }[]} */
  const processes = JSON.parse(readFileSync(join(plane.dir, 'processes.json'), 'utf8'))
  const counted = processes.filter(({ name }) => name !== 'kube-controller-manager')
  return {
    kubeconfig: plane.kubeconfig,
    ms,
    rssMB: () => counted.reduce((sum, { pid }) => sum + rssOf(pid), 0),
    stop: () => plane.stop(),
  }
}

/** @param {number} pid */
function rssOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}
