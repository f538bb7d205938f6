/** A server with the two users admin and jane: the embedded one over TLS, or with BINNACLE_WORLD=real that of BINNACLE_KUBECONFIG. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from '@binnacle/cluster'

export const real = process.env['BINNACLE_WORLD'] === 'real'

export interface AccessServer extends AsyncDisposable {
  readonly url: string
  readonly ca: string
  readonly tokens: Map<string, string>
  /** Paths of kubeconfigs, of admin and of jane. */
  readonly kubeconfigs: readonly [string, string]
  /** Drops what the server keeps of the time before this version. */
  forget(resourceVersion: string): Promise<void>
}

export interface Reply {
  readonly code: number
  readonly body: unknown
}

export async function openServer(): Promise<AccessServer> {
  return real ? realServer() : embeddedServer()
}

function realServer(): AccessServer {
  const admin = process.env['BINNACLE_KUBECONFIG'] ?? ''
  const kubeconfigs = [admin, `${admin}-user`] as const
  const find = (file: string, pattern: RegExp) => pattern.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
  const token = (file: string) => find(file, /\btoken:\s*(\S+)/)
  return {
    url: find(admin, /server:\s*(\S+)/),
    ca: Buffer.from(find(admin, /certificate-authority-data:\s*(\S+)/), 'base64').toString(),
    tokens: new Map([
      ['admin', token(kubeconfigs[0])],
      ['jane', token(kubeconfigs[1])],
    ]),
    kubeconfigs,
    forget: compactEtcd,
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Nobody can ask this of a kube-apiserver: it is the database that forgets. */
async function compactEtcd(resourceVersion: string): Promise<void> {
  const url = process.env['BINNACLE_ETCD_URL']
  if (!url) throw new Error('BINNACLE_ETCD_URL has to name the etcd of the real server, as `npm run conformance` does')
  const body = JSON.stringify({ revision: resourceVersion, physical: true })
  const answer = await fetch(`${url}/v3/kv/compaction`, { method: 'POST', body })
  if (!answer.ok && !(await answer.text()).includes('has been compacted'))
    throw new Error(`etcd did not compact: ${answer.status}`)
}

async function embeddedServer(): Promise<AccessServer> {
  const users = [
    { name: 'admin', uid: 'admin-uid', groups: ['system:masters'] },
    { name: 'jane', uid: 'jane-uid', groups: ['devs'] },
  ]
  const cluster = await Cluster.start({ rbac: true, users })
  const directory = mkdtempSync(join(tmpdir(), 'access-'))
  const written = (name: string) => {
    writeFileSync(join(directory, name), cluster.kubeconfig(name), { mode: 0o600 })
    return join(directory, name)
  }
  return {
    url: cluster.url,
    ca: cluster.connection.caData ?? '',
    tokens: new Map(users.map(({ name }) => [name, cluster.connectionOf(name).token ?? ''])),
    kubeconfigs: [written('admin'), written('jane')],
    forget: async () => cluster.actor.compact(),
    [Symbol.asyncDispose]: async () => {
      rmSync(directory, { recursive: true })
      await cluster.stop()
    },
  }
}

export interface Question {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
  readonly body?: string
}

export function ask({ url, ca }: AccessServer, { method, path, headers, body }: Question): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}${path}`, { method, ca, headers: [...headers], agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const json = answer.headers['content-type']?.includes('json')
        resolve({ code: answer.statusCode ?? 0, body: json ? JSON.parse(text) : text })
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}
