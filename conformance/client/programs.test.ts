import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Cluster } from '@binnacle/cluster'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { newAuthority, newCertificate } from '../control-plane/certificates.mjs'

/**
 * The programs of docs/how-to/client-*.md, each run as it stands there: against the embedded cluster over HTTP or, those about verbs, with
 * BINNACLE_WORLD=real against the cluster of BINNACLE_KUBECONFIG.
 */
const isReal = process.env['BINNACLE_WORLD'] === 'real'

const directory = mkdtempSync(join(tmpdir(), 'programs-'))
const file = (name: string, text: string) => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}

let cluster: Cluster
let kubeconfig = ''
/** The kubeconfig of a server that has a log to show: no pod ever runs on the others. */
let pretender = ''
const logs = createServer((request, response) =>
  request.url?.startsWith('/api/v1/namespaces/default/pods/web/log?container=app')
    ? response.end('hello\n')
    : response.writeHead(404).end(),
)
const proxy = createServer()
beforeAll(async () => {
  cluster = await Cluster.start()
  proxy.on('connect', (request, socket) => {
    const [host, port] = (request.url ?? '').split(':')
    const target = connectSocket(Number(port), host)
    socket.on('error', () => target.destroy())
    target.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    target.pipe(socket).pipe(target)
  })
  for (const server of [proxy, logs]) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  prepare()
})
afterAll(async () => {
  await cluster.stop()
  for (const server of [proxy, logs]) server.close()
  rmSync(directory, { recursive: true })
})
afterEach(() => vi.restoreAllMocks())

function prepare(): void {
  const authority = newAuthority('test')
  const { key, certificate } = newCertificate(authority, { commonName: 'me' }, { use: 'client' })
  file('ca.crt', authority.certificate)
  file('me.crt', certificate)
  file('me.key', key)
  const credential = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"abc"}}'
  chmodSync(file('login', `#!/bin/sh\necho '${credential}'\n`), 0o755)
  const real = isReal ? process.env['BINNACLE_KUBECONFIG'] : undefined
  kubeconfig = real ?? file('config', cluster.kubeconfig())
  const { port } = logs.address() as AddressInfo
  pretender = file('pretender', cluster.kubeconfig().replaceAll(cluster.url, `http://127.0.0.1:${port}`))
  vi.stubEnv('SERVER', cluster.connection.server)
  vi.stubEnv('TOKEN_FILE', file('token', 'abc'))
  vi.stubEnv('PKI', directory)
  vi.stubEnv('LOGIN', join(directory, 'login'))
  vi.stubEnv('PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
}

/** The lines that a program prints. */
async function run(folder: string, name: string): Promise<string[]> {
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(words.join(' ')))
  await import(`./programs/${folder}/${name}.ts`)
  return lines
}

describe.each(isReal ? ['verbs'] : ['verbs', 'sign-in'])('the programs about %s', (folder) => {
  const names = readdirSync(fileURLToPath(new URL(`programs/${folder}`, import.meta.url))).map((path) =>
    path.replace('.ts', ''),
  )

  it.each(names)('%s', async (name) => {
    vi.stubEnv('KUBECONFIG', name === 'logs' ? pretender : kubeconfig)
    expect((await run(folder, name)).join('')).not.toBe('')
  })
})
