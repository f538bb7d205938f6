import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startControlPlane } from './control-plane.mjs'
import { runningIn } from './recorded.mjs'

// Processes are started, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

/**
 * The servers here are small scripts under the real names: what is tested is starting, watching and ending them.
 * The real ones are tried by `npm run test:real`.
 */
let root = ''
let binaries = ''

const SLEEPER = `setInterval(() => {}, 1000)`
const API_SERVER = `
const { readFileSync } = require('node:fs')
const flag = (name) => process.argv.find((arg) => arg.startsWith('--' + name + '=')).split('=')[1]
const options = { key: readFileSync(flag('tls-private-key-file')), cert: readFileSync(flag('tls-cert-file')) }
require('node:https').createServer(options, (req, res) => res.end('ok')).listen(Number(flag('secure-port')), flag('bind-address'))`

function program(folder: string, name: string, text: string) {
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, folder, name), `#!${process.execPath}\n${text}\n`, { mode: 0o755 })
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'control-plane-test-'))
  binaries = join(root, 'bin')
  program('bin', 'etcd', SLEEPER)
  program('bin', 'kube-apiserver', API_SERVER)
  program('bin', 'kube-controller-manager', SLEEPER)
  program('broken', 'etcd', SLEEPER)
  program('broken', 'kube-apiserver', `console.error('I cannot find my glasses'); process.exit(1)`)
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const namesIn = (dir: string) => runningIn(dir).map(({ name }) => name)

it('starts three servers, and stops exactly these', async () => {
  const plane = await startControlPlane({ binaries })
  expect(namesIn(plane.dir)).toEqual(['etcd', 'kube-apiserver', 'kube-controller-manager'])
  expect(readFileSync(plane.kubeconfig, 'utf8')).toContain(`server: ${plane.serverUrl}`)
  const pids = runningIn(plane.dir).map(({ pid }) => pid)
  await plane.stop()
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(existsSync(plane.dir)).toBe(false)
})

it('keeps certificates and tokens of a named directory over a restart', async () => {
  const dir = join(root, 'kept')
  const first = await startControlPlane({ binaries, dir, controllerManager: false })
  const tokens = readFileSync(join(dir, 'tokens.csv'), 'utf8')
  expect(namesIn(dir)).toEqual(['etcd', 'kube-apiserver'])
  await first.stop()
  const second = await startControlPlane({ binaries, dir, controllerManager: false })
  await second.stop()
  expect(readFileSync(join(dir, 'tokens.csv'), 'utf8')).toBe(tokens)
  expect(namesIn(dir)).toEqual([])
})

it('replaces the API server alone when asked to', async () => {
  const plane = await startControlPlane({ binaries })
  const before = runningIn(plane.dir)
  await plane.restartApiServer({ abruptly: true })
  const after = runningIn(plane.dir)
  await plane.stop()
  expect(after.map(({ name }) => name).sort()).toEqual(before.map(({ name }) => name).sort())
  const changed = after.filter(({ pid }) => !before.some((old) => old.pid === pid))
  expect(changed.map(({ name }) => name)).toEqual(['kube-apiserver'])
})

it('shows the last words of a server that dies, and leaves nothing running', async () => {
  const dir = join(root, 'dead')
  await expect(startControlPlane({ binaries: join(root, 'broken'), dir })).rejects.toThrow(
    /kube-apiserver ended.*I cannot find my glasses/s,
  )
  expect(namesIn(dir)).toEqual([])
})

it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)('leaves nothing behind when its starter gets %s', async (signal) => {
  const here = dirname(fileURLToPath(import.meta.url))
  const driver = `
    import { startControlPlane } from ${JSON.stringify(join(here, 'control-plane.mjs'))}
    import { runningIn } from ${JSON.stringify(join(here, 'recorded.mjs'))}
    const { dir } = await startControlPlane({ binaries: ${JSON.stringify(binaries)} })
    console.log(JSON.stringify({ dir, pids: runningIn(dir).map(({ pid }) => pid) }))
    setInterval(() => {}, 1000)`
  const starter = spawn(process.execPath, ['--input-type=module', '-e', driver], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((resolve) => starter.stdout.setEncoding('utf8').once('data', resolve))
  const { dir, pids } = JSON.parse(line) as { dir: string; pids: number[] }
  expect(pids).toHaveLength(3)
  starter.kill(signal)
  await vi.waitFor(() => expect(existsSync(dir)).toBe(false), { timeout: 10_000 })
  for (const pid of pids) await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 })
})

/** A process that nobody has collected yet still has an id, but runs no more. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')) && process.kill(pid, 0)
  } catch {
    return existsSync('/proc/self') ? false : stillThere(pid)
  }
}

function stillThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
