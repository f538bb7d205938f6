import { randomUUID } from 'node:crypto'
import { type Client, type ConnectOptions, connect, KubeConfig } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { afterAll, beforeAll, type TestContext } from 'vitest'

/**
 * One suite of verbs, three servers. `BINNACLE_WORLD` chooses as in ../end-to-end/world.ts: `virtual` (the default) is the embedded cluster without a socket,
 * `embedded` the same over HTTP, `real` a cluster that exists, named by `BINNACLE_KUBECONFIG`.
 */
const kind = process.env['BINNACLE_WORLD'] ?? 'virtual'

/** What only a whole control plane has, and why the embedded cluster does without. Printed with each run that leaves it out. */
export const REAL_ONLY = {
  identity: 'the embedded cluster has no users, so that nobody can be impersonated or refused',
  'built-in schemas': 'the embedded cluster does not check the fields of built-in kinds',
  compression: 'the embedded cluster never compresses',
  'strategic merge': 'the embedded cluster answered that it does not know strategic merge patches',
  'server-side apply': 'the embedded cluster answered that it does not know server-side apply',
} as const

export interface Server {
  /** An administrator's client, in a namespace of its own. */
  readonly client: Client
  readonly namespace: string
  readonly isReal: boolean
  /** Another client for the same server. */
  another(options?: ConnectOptions): Promise<Client>
  /** The kubeconfig of a real one. */
  readonly kubeconfig: string
  /** Leaves a test out, with its reason, if the server cannot do what it is about. */
  needs(what: keyof typeof REAL_ONLY, context: TestContext): Promise<void>
}

/** The server of one test file: there before its first test, gone after its last. */
export function server(): Server {
  const namespace = `verbs-${randomUUID().slice(0, 13)}`
  const opened: AsyncDisposable[] = []
  let cluster: Cluster | undefined
  let client: Client | undefined

  const another = async (options: ConnectOptions = {}): Promise<Client> => {
    const made = await connect({ namespace, ...(await wayTo(cluster)), ...options })
    opened.push(made)
    return made
  }
  beforeAll(async () => {
    cluster = kind === 'real' ? undefined : await Cluster.start({ listen: kind === 'embedded' })
    client = await another()
    await client.create('namespaces', { metadata: { name: namespace }, spec: {} })
  }, 60_000)
  afterAll(async () => {
    if (kind === 'real') await client?.delete('namespaces', namespace)
    for (const one of opened.reverse()) await one[Symbol.asyncDispose]()
    await cluster?.stop()
  })
  return {
    get client() {
      if (!client) throw new Error('The server is there from the first test of a file on')
      return client
    },
    namespace,
    isReal: kind === 'real',
    another,
    get kubeconfig() {
      return realKubeconfig()
    },
    needs: async (what, context) => {
      if (kind === 'real' || (await isAble(what, another))) return
      console.log(`Not run on the embedded cluster: ${context.task.name}: ${REAL_ONLY[what]}`)
      context.skip(REAL_ONLY[what])
    },
  }
}

async function wayTo(cluster: Cluster | undefined): Promise<ConnectOptions> {
  if (!cluster) return { kubeconfig: realKubeconfig() }
  return kind === 'embedded'
    ? { kubeconfig: KubeConfig.fromString(cluster.kubeconfig()) }
    : { transport: cluster.transport() }
}

/** Some things the embedded cluster learns as it grows: it is asked, and not presumed. */
async function isAble(what: keyof typeof REAL_ONLY, another: Server['another']): Promise<boolean> {
  const client = await another()
  const metadata = { name: `able-${randomUUID().slice(0, 8)}` }
  const answer = (promise: Promise<unknown>) =>
    promise.then(
      () => true,
      ({ code }: { code?: number }) => code !== 415,
    )
  if (what === 'server-side apply') return answer(client.apply('configmaps', { metadata }, { dryRun: true }))
  if (what !== 'strategic merge') return false
  await client.create('configmaps', { metadata })
  return answer(client.patch('configmaps', metadata.name, { data: { a: 'b' } }, { strategy: 'strategic' }))
}

function realKubeconfig(): string {
  const path = process.env['BINNACLE_KUBECONFIG']
  if (path) return path
  throw new Error('BINNACLE_WORLD=real needs a cluster: let BINNACLE_KUBECONFIG name the kubeconfig of one')
}
