import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AccessServer, openServer, real } from './server.ts'

/**
 * kubectl, unmodified, asking about permissions: what it prints is compared line by line with what it printed on a live kube-apiserver.
 * It runs where the control plane of conformance/control-plane has been built, since its kubectl is of the same version.
 */
const file = fileURLToPath(new URL('kubectl.jsonl', import.meta.url))
const recording = real && process.env['BINNACLE_RECORD'] !== undefined
const kubectl = found()

function found(): string {
  const root = process.env['BINNACLE_CACHE'] || process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const cache = join(root, 'binnacle/control-plane')
  const builds = existsSync(cache) ? readdirSync(cache).map((name) => join(cache, name, 'kubectl')) : []
  const built = builds.find((path) => existsSync(path))
  if (built === undefined)
    throw new Error('There is no kubectl: build it with node conformance/control-plane/build.mjs')
  return built
}

interface Printed {
  readonly code: number
  readonly out: string
  readonly error: string
}

/** The first word says who asks; `+1` waits on the live server until its caches have learnt of what was written. */
const commands: readonly string[] = [
  'jane auth whoami',
  'admin auth whoami',
  'jane auth whoami -o yaml',
  'jane auth can-i get pods',
  'jane auth can-i list deployments.apps -n kube-system',
  'jane auth can-i get pods --subresource=log',
  'jane auth can-i get /version',
  'jane auth can-i get /metrics',
  'jane auth can-i get nosuch',
  'jane auth can-i --list',
  'admin auth can-i --list',
  'admin auth can-i * *',
  'admin auth can-i get pods --as jane',
  'admin auth can-i get pods --as jane --as-group system:masters',
  'admin auth can-i --list --as system:serviceaccount:default:bot',
  'admin auth whoami --as jane --as-group devs --as-group ops --as-uid 7',
  'jane auth whoami --as admin',
  'jane get pods',
  'jane get pods -A',
  'jane get pod x -o yaml',
  'jane get nodes',
  'jane create configmap a --from-literal=a=b',
  'jane delete pod x',
  'jane delete pods --all',
  'jane scale deployment x --replicas=3',
  'jane get --raw /metrics',
  'jane create clusterrolebinding mine --clusterrole=cluster-admin --user=jane',
  'admin create role pod-reader --verb=get,list --resource=pods,pods/log',
  'admin create rolebinding jane-reads --role=pod-reader --user=jane +1',
  'jane auth can-i list pods',
  'jane auth can-i list pods -v0 -n kube-system',
  'jane auth can-i get pods --subresource=log',
  'jane auth can-i delete pods',
  'jane get pods',
  'admin get rolebinding jane-reads',
  'admin describe rolebinding jane-reads',
  'admin describe role pod-reader',
  'admin get pods --as jane',
  'admin get secrets --as jane',
  'admin create clusterrole all-pods --verb=get --resource=pods',
  'admin create clusterrole sum --aggregation-rule=team=web',
  'admin create clusterrole part --verb=watch --resource=pods',
  'admin label clusterrole part team=web +1',
  'admin describe clusterrole sum',
  'admin create serviceaccount bot',
  'admin create clusterrolebinding bots --clusterrole=all-pods --serviceaccount=default:bot +1',
  'admin auth can-i get pods --as system:serviceaccount:default:bot',
  'admin auth can-i list pods --as system:serviceaccount:default:bot',
  'admin describe clusterrolebinding bots',
  'admin create token nosuch',
  'admin create token bot --duration=1s',
  'jane create token bot',
  'admin get clusterroles',
  'admin get clusterrolebindings',
  'admin get roles,rolebindings -A',
  'admin describe clusterrole view',
  'admin describe clusterrole admin',
  'admin describe clusterrole system:discovery',
  'admin delete rolebinding jane-reads +1',
  'jane auth can-i list pods',
  'jane get pods',
  'admin delete clusterrolebinding bots',
  'admin delete clusterrole all-pods sum part',
  'admin delete role pod-reader',
  'admin delete serviceaccount bot',
]

describe('kubectl prints the same as on the original', () => {
  const home = mkdtempSync(join(tmpdir(), 'kubectl-'))
  const printed: Printed[] = []
  let server: AccessServer
  beforeAll(async () => {
    server = await openServer()
    for (const command of commands) printed.push(await run(command))
    if (recording) {
      writeFileSync(file, commands.map((command, i) => `${JSON.stringify({ command, ...printed[i] })}\n`).join(''))
    }
  }, 180_000)
  afterAll(async () => {
    rmSync(home, { recursive: true, force: true })
    await server?.[Symbol.asyncDispose]()
  })

  async function run(command: string): Promise<Printed> {
    const [who, ...words] = command.replace(/ \+1$/, '').split(' ')
    const kubeconfig = server.kubeconfigs[who === 'admin' ? 0 : 1]
    const result = await finished(['--kubeconfig', kubeconfig, '--cache-dir', join(home, who ?? ''), ...words], home)
    if (real && command.endsWith('+1')) await new Promise((resolve) => setTimeout(resolve, 1000))
    return result
  }

  it.each(commands.map((command, i) => [command, i] as const))('%s', (command, i) => {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    const { command: recorded, ...expected } = JSON.parse(lines[i] ?? '{}')
    expect(recorded).toBe(command)
    expect(normal(printed[i] as Printed)).toEqual(normal(expected))
  })
})

function finished(words: readonly string[], home: string): Promise<Printed> {
  return new Promise((resolve, reject) => {
    const child = spawn(kubectl, words, { env: { HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] })
    const texts = { out: '', error: '' }
    child.stdout.on('data', (chunk) => (texts.out += chunk))
    child.stderr.on('data', (chunk) => (texts.error += chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? -1, ...texts }))
  })
}

/** Rules come in the order of a hash table on the original, and their columns are as wide as the widest; ages and times differ. */
function normal({ code, out, error }: Printed) {
  const rows = out
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .split('\n')
    .map((line) =>
      line
        .replace(/ {2,}/g, '  ')
        .replace(/ +\d+[smhd](\d+[smh])?$/, '  AGE')
        .trimEnd(),
    )
  return { code, out: /^(Resources|Name) {2,}|^Name:/.test(out) ? [...rows].sort() : rows, error }
}
