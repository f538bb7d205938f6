/**
 * A Kubernetes API server in this process.
 * Guarantees: it listens on loopback only, unless it asks who is there; stop ends everything that it started within moments, also with open watches; on a
 * virtual clock nothing of it waits for real time; the same seed, clock and requests give the same objects.
 * Does not guarantee: that anything runs. There is no kubelet; controllers, where they are asked for, act in name only.
 */
import { ensurePolicy } from './access/bootstrap-policy.ts'
import { type Connection, kubeconfigOf } from './access/kubeconfig.ts'
import { newSecrets, savedSecrets, secretsIn } from './access/secrets.ts'
import { adminName, Security } from './access/security.ts'
import { accountOf } from './access/user.ts'
import { realClock } from './clock.ts'
import { type ClusterOptions, checkOptions, tlsOf } from './cluster-options.ts'
import { Controllers } from './controllers/controllers.ts'
import { type Actor, actorOn, sentBody } from './faults/actor.ts'
import { ControlDoor } from './faults/control.ts'
import { Faults } from './faults/faults.ts'
import { FaultyDoor } from './faults/hooks.ts'
import { Rules } from './faults/rule.ts'
import { stageOn } from './faults/stage.ts'
import { Aggregation } from './housekeeping/aggregation.ts'
import { Definitions, definitionsTable } from './housekeeping/definitions.ts'
import { GarbageCollector } from './housekeeping/garbage-collector.ts'
import { Namespaces } from './housekeeping/namespaces.ts'
import { Protection } from './housekeeping/protection.ts'
import { Work } from './housekeeping/work.ts'
import { type Door, Front } from './http/front.ts'
import { InProcessTransport, type Transport, type TransportOptions } from './http/in-process.ts'
import { Listener } from './http/listener.ts'
import { webhookCaller } from './http/webhook-caller.ts'
import { textOf } from './json.ts'
import { Kinds } from './kinds/kinds.ts'
import type { KubeObject } from './object.ts'
import type { Contents } from './persist/data-file.ts'
import { Journal } from './persist/journal.ts'
import { Population } from './population.ts'
import { type Random, seeded } from './random.ts'
import type { Backend } from './request/backend.ts'
import type { RecordedRequest } from './request/record.ts'
import { Storage } from './storage/storage.ts'
import { Timetable } from './timetable.ts'

export class Cluster implements AsyncDisposable {
  readonly #backend: Backend
  readonly #front: Front
  readonly #security: Security
  readonly #door: Door
  #connections = 0
  readonly #work = new Work()
  readonly #journal: Journal | undefined
  #controllers: Controllers | undefined
  #listener: Listener | undefined
  #server: string | undefined
  #stopped: Promise<void> | undefined

  /** Things that go wrong, on purpose. */
  readonly faults: Faults
  /** Changes the world behind the back of the clients. */
  readonly actor: Actor

  private constructor(options: ClusterOptions, journal: Journal | undefined, contents: Contents | undefined) {
    const clock = options.clock ?? realClock
    const storage = new Storage(options.historySize ?? 8192)
    const timetable = new Timetable(clock)
    const secrets = (contents?.secrets && secretsIn(contents.secrets)) ?? newSecrets(realClock.now())
    this.#journal = journal
    this.#security = new Security({
      ...{ clock, storage, secrets, tls: tlsOf(options) },
      rbac: options.rbac ?? false,
      users: options.users ?? [],
      anonymous: options.anonymous ?? options.rbac ?? false,
    })
    this.#backend = {
      ...{ clock, storage, access: this.#security.access },
      random: randomOf(options),
      kinds: new Kinds(),
      timetable,
      callWebhook: webhookCaller(timetable),
      services: servicesOf(options.services ?? {}),
      version: options.version ?? '1.36',
      address: '',
      streams: new Set(),
    }
    this.#front = new Front(this.#backend)
    const rules = new Rules({
      random: seeded(options.seed ?? 1),
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
    })
    this.faults = new Faults(rules)
    const faulty = new FaultyDoor(this.#front, rules, stageOn(this.#backend), options.faultControl)
    this.actor = actorOn({
      backend: this.#backend,
      faults: this.faults,
      send: (method, path, body) => this.#ask(method, path, body),
      cutWatches: () => this.#cutWatches(),
      cutConnections: () => this.#listener?.cutConnections(),
    })
    this.#door = options.faultControl ? new ControlDoor(faulty, this.faults, this.actor) : faulty
    new Definitions(this.#backend, this.#work)
    new Namespaces(this.#backend, this.#work)
    new GarbageCollector(this.#backend, this.#work)
    new Protection(this.#backend, this.#work)
    new Aggregation(this.#backend, this.#work)
    this.#resume(contents)
    // After the users' tokens have been made up.
    journal?.begin(storage, savedSecrets(secrets))
    if (journal) storage.keepIn(journal)
    if (contents) storage.introduce(definitionsTable)
  }

  #resume(contents: Contents | undefined): void {
    if (contents) this.#backend.storage.restore(contents.objects, contents.revision)
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    checkOptions(options)
    const { journal, contents } = openData(options)
    let cluster: Cluster | undefined
    try {
      cluster = new Cluster(options, journal, contents)
      await cluster.#populate(options)
      cluster.#front.log.clear()
      if (options.listen !== false) await cluster.#listen(options.port ?? 0, options.host ?? '127.0.0.1')
      return cluster
    } catch (error) {
      if (cluster) await cluster.stop()
      else journal?.close()
      throw error
    }
  }

  async #populate(options: ClusterOptions): Promise<void> {
    const population = new Population(this.#backend, this.#inside())
    await population.bootstrap()
    if (options.rbac) ensurePolicy(this.#backend)
    await population.create(options.crds ?? [], options.objects ?? [])
    if (options.controllers) await this.#startControllers()
  }

  async #startControllers(): Promise<void> {
    const user = { name: 'system:kube-controller-manager', groups: ['system:masters'] }
    const transport = this.transport({ userAgent: 'kube-controller-manager', user })
    this.#controllers = new Controllers(this.#backend, transport, this.#security.authority)
    await this.#controllers.start()
    while (!this.#controllers.idle) await new Promise<void>((resolve) => setImmediate(resolve))
  }

  async #listen(port: number, host: string): Promise<void> {
    const tls = this.#security.tlsMaterial(host)
    this.#listener = new Listener(this.#door, () => ++this.#connections, tls)
    const actual = await this.#listener.listen(port, host)
    const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
    this.#backend.address = `${reached.includes(':') ? `[${reached}]` : reached}:${actual}`
    this.#server = `${tls ? 'https' : 'http'}://${this.#backend.address}`
  }

  /** The cluster's own requests, which no fault strikes. */
  async #ask(method: string, path: string, body?: object): Promise<Uint8Array> {
    const answer = await this.#inside().request({
      method,
      path,
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
      body: sentBody(body),
      signal: new AbortController().signal,
    })
    if (answer.status >= 300) throw new Error(`The cluster refused ${method} ${path}: ${textOf(answer.body)}`)
    return answer.body
  }

  #inside(): Transport {
    return new InProcessTransport(this.#front, { userAgent: 'cluster' })
  }

  /** Where it listens, without a slash at the end. */
  get url(): string {
    if (this.#server === undefined) {
      throw new Error('This cluster does not listen (listen: false): use transport(), or start it with a socket.')
    }
    return this.#server
  }

  /** As the administrator. */
  get connection(): Connection {
    return this.connectionOf(adminName)
  }

  /** As one of the users, or as a service account (system:serviceaccount:NAMESPACE:NAME), for which a token of a year is made. */
  connectionOf(user: string): Connection {
    return this.#security.connection(this.url, user)
  }

  /** As YAML, for kubectl and other programs; for the administrator, one of the users, or a service account. */
  kubeconfig(user: string = adminName): string {
    const name = this.#security.asks ? user : 'binnacle'
    return kubeconfigOf(this.#security.written(this.url, user), name, accountOf(user)?.namespace)
  }

  /** Every object there is, kind by kind, in the order of their keys. They are not copied: look, and do not touch. */
  snapshot(): readonly KubeObject[] {
    return [...this.#backend.storage.tables].flatMap((table) => table.list('').map(({ object }) => object))
  }

  /** The last requests, the newest last. */
  get requests(): readonly RecordedRequest[] {
    return this.#front.log.all
  }

  /** A way to the cluster without a socket; it fits the client's Transport. */
  transport(options: TransportOptions = {}): Transport {
    return new InProcessTransport(this.#door, options, ++this.#connections)
  }

  /** Watches that are open. */
  get watches(): number {
    return this.#backend.streams.size
  }

  /** Requests that are being answered now. Open watches do not count. */
  get inFlight(): number {
    return this.#front.inFlight
  }

  /** Nothing is in flight, nothing waits for a watcher to read it, and nothing is due now. */
  idle(): boolean {
    if (this.#front.inFlight > 0 || !this.#work.idle || this.#backend.timetable.due) return false
    if (this.#controllers?.idle === false) return false
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
    this.#controllers?.stop()
    this.#backend.storage.revision.close()
    for (const stream of [...this.#backend.streams]) stream.end()
    this.#backend.timetable.stop()
    await this.#listener?.close()
    this.#journal?.close()
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

interface Opened {
  readonly journal?: Journal
  readonly contents?: Contents | undefined
}

function openData({ data, warn }: ClusterOptions): Opened {
  if (data === undefined) return {}
  const { file, durability = 'process' } = typeof data === 'string' ? { file: data } : data
  const opened = Journal.open({ file, durability })
  const dropped = opened.contents?.dropped ?? 0
  if (dropped > 0) {
    warn?.(`The last write to ${file} was not finished (${dropped} bytes), and nobody was told of it: it is dropped.`)
  }
  return opened
}
