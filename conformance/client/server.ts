import { randomUUID } from 'node:crypto'
import { type Client, type ConnectOptions, connect, KubeConfig } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { afterAll, beforeAll } from 'vitest'

/**
 * One suite of verbs, three servers. `BINNACLE_WORLD` chooses as in ../end-to-end/world.ts: `virtual` (the default) is the embedded cluster without a socket,
 * `embedded` the same over HTTP, `real` a cluster that exists, named by `BINNACLE_KUBECONFIG`. What no embedded cluster can have is in files
 * of its own, `*.real.test.ts`, which nothing but `npm run test:real` looks at.
 */
const kind = process.env['BINNACLE_WORLD'] ?? 'virtual'

export interface Server {
  /** An administrator's client, in a namespace of its own. */
  readonly client: Client
  readonly namespace: string
  readonly isReal: boolean
  /** Another client for the same server. */
  another(options?: ConnectOptions): Promise<Client>
  /** The kubeconfig of a real one. */
  readonly kubeconfig: string
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
  }
}

async function wayTo(cluster: Cluster | undefined): Promise<ConnectOptions> {
  if (!cluster) return { kubeconfig: realKubeconfig() }
  return kind === 'embedded'
    ? { kubeconfig: KubeConfig.fromString(cluster.kubeconfig()) }
    : { transport: cluster.transport() }
}

function realKubeconfig(): string {
  const path = process.env['BINNACLE_KUBECONFIG']
  if (path) return path
  throw new Error('BINNACLE_WORLD=real needs a cluster: let BINNACLE_KUBECONFIG name the kubeconfig of one')
}
