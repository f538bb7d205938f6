/**
 * The large parts that commands put together, by the little that they need of each.
 * They are loaded when they are first used, so that `binnacle --help` does not wait for them.
 */

export interface EmbeddedCluster {
  readonly url: string
  readonly connection: { readonly server: string }
  /** As YAML; of the administrator, or of a user who was named at the start. */
  kubeconfig(user?: string): string
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly port?: number
  readonly host?: string
  readonly version?: `1.${number}`
  readonly tls?: boolean
  readonly rbac?: boolean
  readonly users?: readonly { readonly name: string }[]
  readonly controllers?: boolean
  /** An absolute path. */
  readonly data?: string
  readonly warn?: (message: string) => void
}

/** Which server: a file, one of its contexts; or what kubectl would take. */
export interface ServerChoice {
  /** An absolute path. */
  readonly kubeconfig?: string
  readonly context?: string
}

/** A connection to a server, for what has no verb of its own. */
export interface Server extends AsyncDisposable {
  request(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    options?: { readonly body?: unknown; readonly contentType?: string },
  ): Promise<unknown>
}

export interface Parts {
  startCluster(options: ClusterOptions): Promise<EmbeddedCluster>
  /** Reads the kubeconfig as the operator will; rejects if that would fail. */
  checkKubeconfig(choice: ServerChoice): Promise<void>
  connect(choice: ServerChoice | EmbeddedCluster['connection']): Promise<Server>
}

export const realParts: Parts = {
  async startCluster(options) {
    const { Cluster } = await import('@binnacle/cluster')
    return Cluster.start(options)
  },
  async checkKubeconfig({ kubeconfig, context }) {
    const { KubeConfig } = await import('@binnacle/client')
    const options = context === undefined ? {} : { context }
    await (kubeconfig === undefined ? KubeConfig.load(options) : KubeConfig.fromFile(kubeconfig, options))
  },
  async connect(choice) {
    const { connect } = await import('@binnacle/client')
    return connect('server' in choice ? { kubeconfig: choice } : choice)
  },
}
