import type { ClusterOptions, Parts, Server, ServerChoice } from '@binnacle/cli'
import { AlreadyExistsError, BinnacleError, NotFoundError } from '@binnacle/core'

/** Stand-ins for the cluster and the client, which remember what was asked of them. */
export class TestParts implements Parts {
  /** The clusters that run now. */
  clusters = 0
  readonly starts: ClusterOptions[] = []
  readonly checked: ServerChoice[] = []
  readonly connected: object[] = []
  readonly server = new TestServer()
  /** What the next start of a cluster fails with. */
  failure: Error | undefined
  /** What the next cluster warns of. */
  warning: string | undefined

  async startCluster(options: ClusterOptions) {
    if (this.failure) throw this.failure
    const { warn, ...plain } = options
    if (this.warning !== undefined) warn?.(this.warning)
    this.starts.push(plain)
    this.clusters++
    const stop = async () => {
      this.clusters--
    }
    return {
      url: `http://127.0.0.1:${options.port ?? 12345}`,
      kubeconfig: (user?: string) => `kind: Config\n${user === undefined ? '' : `# of ${user}\n`}`,
      connection: { server: 'embedded' },
      stop,
    }
  }

  async checkKubeconfig(choice: ServerChoice): Promise<void> {
    this.checked.push(choice)
    if (choice.kubeconfig?.endsWith('missing')) {
      throw new BinnacleError('BIN_KUBECONFIG', {
        message: `The kubeconfig ${choice.kubeconfig} cannot be read: there is no such file`,
        hint: 'Check the path.',
      })
    }
  }

  async connect(choice: object): Promise<Server> {
    this.connected.push(choice)
    return this.server
  }
}

/** Serves definitions, config maps, and whatever a definition was installed for. */
export class TestServer implements Server {
  readonly objects = new Map<string, object>()

  async request(method: 'GET' | 'POST' | 'PATCH', path: string, options: { body?: unknown } = {}): Promise<unknown> {
    if (method === 'GET') return this.#kinds(path)
    const body = options.body as { metadata: { name: string } }
    const address = method === 'POST' ? `${path}/${body.metadata.name}` : path
    if (method === 'POST' && this.objects.has(address))
      throw new AlreadyExistsError(...refusal(409, 'AlreadyExists', path))
    this.objects.set(address, body)
    return body
  }

  #kinds(path: string): unknown {
    const known = KINDS[path]
    if (known) return { resources: known }
    const found = [...this.objects.values()].flatMap((object) => servedBy(object, path))
    if (found.length === 0) throw new NotFoundError(...refusal(404, 'NotFound', path))
    return { resources: found }
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const KINDS: { readonly [path: string]: readonly object[] } = {
  '/api/v1': [
    { name: 'configmaps', kind: 'ConfigMap', namespaced: true },
    { name: 'namespaces', kind: 'Namespace', namespaced: false },
    { name: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  ],
  '/apis/apiextensions.k8s.io/v1': [
    { name: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false },
  ],
}

// biome-ignore lint/suspicious/noExplicitAny: manifests are loose JSON
function servedBy(object: any, path: string): readonly object[] {
  const { group, names, versions = [] } = object.spec ?? {}
  const serves = versions.some((version: { name: string }) => path === `/apis/${group}/${version.name}`)
  return serves ? [{ name: names.plural, kind: names.kind, namespaced: true }] : []
}

function refusal(code: number, reason: string, path: string) {
  return [{ code, reason, message: reason }, { request: { method: 'POST', path } }] as const
}
