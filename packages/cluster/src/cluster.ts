/**
 * A Kubernetes API server in this process.
 * Guarantees: it listens on loopback only; stop ends everything that it started within moments, also with open watches; on a
 * virtual clock nothing of it waits for real time; the same seed, clock and requests give the same objects.
 * Does not guarantee: that anything runs. There is no scheduler, no kubelet and no workload controller.
 */
import { stringify as printYaml } from 'yaml'
import { type Clock, realClock } from './clock.ts'
import { Definitions } from './housekeeping/definitions.ts'
import { GarbageCollector } from './housekeeping/garbage-collector.ts'
import { Namespaces } from './housekeeping/namespaces.ts'
import { Protection } from './housekeeping/protection.ts'
import { Work } from './housekeeping/work.ts'
import { Front } from './http/front.ts'
import { InProcessTransport, type Transport, type TransportOptions } from './http/in-process.ts'
import { Listener } from './http/listener.ts'
import { webhookCaller } from './http/webhook-caller.ts'
import { bytesOf, isObject, parseJson, printJson, textOf } from './json.ts'
import { hasStatus } from './kinds/kind.ts'
import { Kinds } from './kinds/kinds.ts'
import { type Random, seeded } from './random.ts'
import type { Backend } from './request/backend.ts'
import type { RecordedRequest } from './request/record.ts'
import { Storage } from './storage/storage.ts'
import { Timetable } from './timetable.ts'

export interface ClusterOptions {
  /** CustomResourceDefinition manifests, established when start returns. @default [] */
  readonly crds?: readonly object[]
  /** Manifests of any kind, created in their order, after the definitions, with the status that they carry. Missing namespaces are created too. @default [] */
  readonly objects?: readonly object[]
  /** Where timestamps, bookmarks and deadlines come from. @default the system's clock */
  readonly clock?: Clock
  /** Where uids and generated names come from: numbers from 0 to below 1. @default Math.random */
  readonly random?: () => number
  /** Instead of `random`: the same seed gives the same uids and names. */
  readonly seed?: number
  /** Which Kubernetes to be like. @default '1.36' */
  readonly version?: `1.${number}`
  /** The port to listen on; 0: a free one. @default 0 */
  readonly port?: number
  /** The loopback address to listen on. Any other is refused: there is no authentication. @default '127.0.0.1' */
  readonly host?: string
  /** False: no socket, only the in-process transport. @default true */
  readonly listen?: boolean
  /** Where the services of webhooks listen, because there is no network: a port of this machine or a url, by `namespace/name` or `namespace/name:port`. @default {} */
  readonly services?: Readonly<Record<string, string | number>>
  /** How many changes of each kind are remembered for watches that reconnect, and for pages of lists. @default 8192 */
  readonly historySize?: number
}

/** Changes the world behind the back of the clients. */
export interface Actor {
  /** Forgets all history: an older watch or continue token is answered with 410. Open watches go on. */
  compact(): void
  /** Breaks every open watch in the middle. */
  cutWatches(): void
  /** All connections are cut, objects stay, history is lost. */
  restart(): Promise<void>
}

export interface Connection {
  readonly server: string
  readonly insecure?: boolean
}

const bootstrapNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease']
const loopback = new Set(['127.0.0.1', '::1', 'localhost'])

export class Cluster implements AsyncDisposable {
  readonly #backend: Backend
  readonly #front: Front
  readonly #work = new Work()
  #listener: Listener | undefined
  #server: string | undefined
  #stopped: Promise<void> | undefined

  readonly actor: Actor = {
    compact: () => this.#backend.storage.forgetHistory(),
    cutWatches: () => this.#cutWatches(),
    restart: async () => {
      this.#backend.storage.forgetHistory()
      this.#cutWatches()
      this.#listener?.cutConnections()
    },
  }

  private constructor(options: ClusterOptions) {
    const clock = options.clock ?? realClock
    const timetable = new Timetable(clock)
    this.#backend = {
      clock,
      random: randomOf(options),
      storage: new Storage(options.historySize ?? 8192),
      kinds: new Kinds(),
      timetable,
      callWebhook: webhookCaller(timetable),
      services: servicesOf(options.services ?? {}),
      version: options.version ?? '1.36',
      address: '',
      streams: new Set(),
    }
    this.#front = new Front(this.#backend)
    new Definitions(this.#backend, this.#work)
    new Namespaces(this.#backend, this.#work)
    new GarbageCollector(this.#backend, this.#work)
    new Protection(this.#backend, this.#work)
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    const host = options.host ?? '127.0.0.1'
    if (!loopback.has(host)) {
      throw new Error(
        `The embedded cluster has no authentication and listens on loopback only, not on "${host}". Leave "host" out, or use 127.0.0.1 or ::1.`,
      )
    }
    const cluster = new Cluster(options)
    try {
      await cluster.#populate(options)
      cluster.#front.log.clear()
      if (options.listen !== false) await cluster.#listen(options.port ?? 0, host)
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  async #listen(port: number, host: string): Promise<void> {
    this.#listener = new Listener(this.#front)
    const actual = await this.#listener.listen(port, host)
    this.#backend.address = `${host.includes(':') ? `[${host}]` : host}:${actual}`
    this.#server = `http://${this.#backend.address}`
  }

  async #populate(options: ClusterOptions): Promise<void> {
    for (const name of bootstrapNamespaces)
      await this.#create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    for (const definition of options.crds ?? []) {
      await this.#create({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...definition })
    }
    for (const object of options.objects ?? []) await this.#create(object, true)
  }

  /** By the public way, so that a bad manifest is refused in Kubernetes' words. */
  async #create(manifest: object, withNamespace = false): Promise<void> {
    const { apiVersion, kind, metadata } = manifest as { apiVersion?: unknown; kind?: unknown; metadata?: unknown }
    const served = this.#backend.kinds.byKind(String(apiVersion), String(kind))
    const label = `${String(kind)} ${isObject(metadata) ? String(metadata.name ?? metadata.generateName) : ''}`
    if (!served) {
      throw new Error(
        `No kind "${String(kind)}" in "${String(apiVersion)}": give its definition in "crds", or correct the manifest.`,
      )
    }
    const namespace = isObject(metadata) && typeof metadata.namespace === 'string' ? metadata.namespace : 'default'
    if (withNamespace && served.kind.namespaced && !this.#backend.storage.table('/namespaces').get(namespace)) {
      await this.#create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
    }
    const root = served.kind.group === '' ? '/api' : `/apis/${served.kind.group}`
    const scope = served.kind.namespaced ? `/namespaces/${namespace}` : ''
    const path = `${root}/${served.version.name}${scope}/${served.kind.plural}`
    const created = await this.#send('POST', path, manifest, label)
    const { status } = manifest as { status?: unknown }
    if (status === undefined || !hasStatus(served.version) || served.kind.plural === 'customresourcedefinitions') return
    // A POST drops the status, as it must; whoever gives one here wants it.
    await this.#send('PATCH', `${path}/${created}/status`, { status }, label)
  }

  /** The name of the object in the answer. */
  async #send(method: 'POST' | 'PATCH', path: string, body: object, label: string): Promise<string> {
    const answer = await this.transport({ userAgent: 'cluster' }).request({
      method,
      path,
      headers: { 'content-type': method === 'POST' ? 'application/json' : 'application/merge-patch+json' },
      body: bytesOf(printJson(body)),
      signal: new AbortController().signal,
    })
    const text = textOf(answer.body)
    if (answer.status >= 300) throw new Error(`The cluster refused ${label}: ${text}`)
    return (parseJson(text) as { metadata: { name: string } }).metadata.name
  }

  /** Where it listens, without a slash at the end. */
  get url(): string {
    if (this.#server === undefined) {
      throw new Error('This cluster does not listen (listen: false): use transport(), or start it with a socket.')
    }
    return this.#server
  }

  get connection(): Connection {
    return { server: this.url, insecure: true }
  }

  /** As YAML, for kubectl and other programs. */
  kubeconfig(): string {
    // Skip-verify on plain HTTP: Go ignores it, and @kubernetes/client-node refuses http:// without it.
    return printYaml({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'binnacle',
      clusters: [{ name: 'binnacle', cluster: { server: this.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'binnacle', user: {} }],
      contexts: [{ name: 'binnacle', context: { cluster: 'binnacle', user: 'binnacle', namespace: 'default' } }],
    })
  }

  /** The last requests, the newest last. */
  get requests(): readonly RecordedRequest[] {
    return this.#front.log.all
  }

  /** A way to the cluster without a socket; it fits the client's Transport. */
  transport(options: TransportOptions = {}): Transport {
    return new InProcessTransport(this.#front, options)
  }

  /** Requests that are being answered now. Open watches do not count. */
  get inFlight(): number {
    return this.#front.inFlight
  }

  /** Nothing is in flight, nothing waits for a watcher to read it, and nothing is due now. */
  idle(): boolean {
    if (this.#front.inFlight > 0 || !this.#work.idle || this.#backend.timetable.due) return false
    for (const stream of this.#backend.streams) if (stream.pending) return false
    return true
  }

  #cutWatches(): void {
    for (const stream of [...this.#backend.streams]) stream.cut(new Error('The cluster has cut the connection'))
  }

  /** Ends every watch and connection and frees the port. May be called again. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<void> {
    this.#front.close()
    this.#work.stop()
    this.#backend.storage.revision.close()
    for (const stream of [...this.#backend.streams]) stream.end()
    this.#backend.timetable.stop()
    await this.#listener?.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** A bare port is one of this machine's. */
function servicesOf(services: NonNullable<ClusterOptions['services']>): ReadonlyMap<string, string> {
  const url = (place: string | number) => (typeof place === 'number' ? `https://127.0.0.1:${place}` : place)
  return new Map(Object.entries(services).map(([name, place]) => [name, url(place)]))
}

function randomOf(options: ClusterOptions): Random {
  if (options.random) return options.random
  return options.seed === undefined ? Math.random : seeded(options.seed)
}
