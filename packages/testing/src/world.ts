import { type Client, KubeConfig, type Ref } from '@binnacle/client'
import type { Cluster } from '@binnacle/cluster'
import {
  AlreadyExistsError,
  BinnacleError,
  type Clock,
  type Duration,
  type NewCRD,
  type ObjectOf,
  type Resource,
  type ResourceLike,
  resource,
  seconds,
  toCRD,
  VirtualClock,
} from '@binnacle/core'
import type { Disturbance } from './faults/disturbance.ts'
import { embeddedGround, existingGround, type Ground, virtualGround } from './ground.ts'
import { type AnyOperator, OperatorUnderTest, type TestRunOptions } from './operator-under-test.ts'

/** A declared resource, or the manifest of a CustomResourceDefinition. */
// biome-ignore lint/suspicious/noExplicitAny: a resource of whichever type
export type Installable = Resource<any, any> | NewCRD

export interface WorldOptions {
  /** Installed before anything else. */
  readonly resources?: readonly Installable[]
  /** Where uids, generated names and every other chance of an embedded cluster, and of operators, come from. @default 1 */
  readonly seed?: number
  /** Where virtual time begins. @default 2026-01-01T00:00:00Z */
  readonly from?: Date
  /** What goes wrong. Virtual worlds only. */
  readonly disturbance?: Disturbance
}

/**
 * A cluster, and operators that are tried on it: three kinds of world, one face, so that one story can be told in all of them.
 * Guarantees: at its end all operators of the world are stopped, and an embedded cluster is gone.
 */
export class World implements AsyncDisposable {
  readonly #ground: Ground
  readonly #operators: Set<OperatorUnderTest>
  #disturbance: Disturbance | undefined

  private constructor(ground: Ground, operators: Set<OperatorUnderTest>) {
    this.#ground = ground
    this.#operators = operators
  }

  /** An embedded cluster in this process on virtual time: hours pass in milliseconds, and nothing is left to chance. */
  static virtual(options: WorldOptions = {}): Promise<World> {
    return World.#on((activity) => virtualGround(activity, options.seed ?? 1, options.from), options)
  }

  /** An embedded cluster over HTTP in real time: for what concerns sockets. */
  static embedded(options: WorldOptions = {}): Promise<World> {
    return World.#on((activity) => embeddedGround(activity, options.seed ?? 1), options)
  }

  /** A cluster that exists already. What a story leaves there stays there, so give each one its own namespace. */
  static async existing(options: WorldOptions & { readonly kubeconfig: string | KubeConfig }): Promise<World> {
    const { kubeconfig } = options
    const config = typeof kubeconfig === 'string' ? await KubeConfig.fromFile(kubeconfig) : kubeconfig
    return World.#on((activity) => existingGround(activity, options.seed ?? 1, config), options)
  }

  static async #on(lay: (activity: () => readonly string[]) => Promise<Ground>, options: WorldOptions): Promise<World> {
    const operators = new Set<OperatorUnderTest>()
    const world = new World(await lay(() => [...operators].flatMap((operator) => operator.activity())), operators)
    await world.install(...(options.resources ?? []))
    if (options.disturbance) world.#disturb(options.disturbance)
    return world
  }

  /** An administrator's client. */
  get client(): Client {
    return this.#ground.admin
  }

  get clock(): Clock {
    return this.#ground.clock
  }

  /** The embedded cluster; undefined where the cluster is somebody else's. */
  get cluster(): Cluster | undefined {
    return this.#ground.cluster
  }

  /** Whether things go wrong here on purpose. */
  get disturbed(): boolean {
    return this.#disturbance !== undefined
  }

  /** All operators that were ever added. */
  get operators(): ReadonlySet<OperatorUnderTest> {
    return this.#operators
  }

  /** Who waits for virtual time; 0 in real time. */
  get sleeping(): number {
    return this.clock instanceof VirtualClock ? this.clock.sleeping : 0
  }

  /** What all operators have done. */
  get timeline(): string {
    return [...this.#operators].map(({ ledger }) => ledger.timeline).join('\n')
  }

  /** Installs kinds and waits until they are served. Those that are there already are left as they are. */
  async install(...resources: readonly Installable[]): Promise<void> {
    for (const resource of resources) {
      const manifest = isManifest(resource) ? resource : toCRD(resource)
      const { name } = manifest.metadata
      const there = await this.client.find(DEFINITIONS, name)
      if (!there) await this.client.create(DEFINITIONS, manifest).catch(unlessItExists)
      await this.until(DEFINITIONS, name, isEstablished)
    }
  }

  /** An operator of this world that has not been started yet. */
  add(operator: AnyOperator, options: TestRunOptions = {}, anew?: () => AnyOperator): OperatorUnderTest {
    const added = new OperatorUnderTest(operator, this.#ground, options, anew)
    this.#operators.add(added)
    this.#disturbance?.attend(added)
    return added
  }

  /** `anew` makes the operator that takes its place where a fault ends its process; by default it is the same one, with all that it remembers. */
  async start(
    operator: AnyOperator,
    options: TestRunOptions = {},
    anew?: () => AnyOperator,
  ): Promise<OperatorUnderTest> {
    const added = this.add(operator, options, anew)
    await (this.#disturbance ? added.startAtLast() : added.start())
    return added
  }

  /** Resolves when nothing is in flight and nothing is due now; in a disturbed world, when it has recovered from what struck. */
  settled(): Promise<void> {
    return this.#disturbance ? this.#recovered(this.#disturbance) : this.#ground.settle()
  }

  #disturb(disturbance: Disturbance): void {
    if (!this.cluster || !this.#ground.virtual) throw new TypeError('Only a virtual world can be disturbed')
    disturbance.begin(this.cluster, this.clock)
    this.#disturbance = disturbance
  }

  /** Gives everybody the time to recover, as often as something strikes. */
  async #recovered(disturbance: Disturbance): Promise<void> {
    do {
      await this.#pass(0)
      if (disturbance.struck) await this.#pass(RECOVERY)
    } while (disturbance.recover())
  }

  /** Lets time pass from one thing that is due to the next, and revives who was killed in between. */
  async #pass(duration: Duration): Promise<void> {
    const end = this.clock.monotonic() + seconds(duration)
    await this.#ground.rest()
    for (;;) {
      for (const operator of this.#operators) if (await operator.revive()) await this.#ground.rest()
      const left = end - this.clock.monotonic()
      if (left <= 0 || !(await this.#ground.step(left))) break
    }
    const left = end - this.clock.monotonic()
    if (left > 0) await this.#ground.pass(left)
  }

  /** Lets time pass, with everything that falls due in it, and then settles; a handler that waits for more time is not waited for. */
  async advance(duration: Duration): Promise<void> {
    if (this.#disturbance) {
      await this.#pass(duration)
      return await this.#recovered(this.#disturbance)
    }
    await this.#ground.pass(duration)
    await (this.#ground.virtual ? this.#ground.rest() : this.settled())
  }

  /** Lets time pass until the predicate holds; the error shows the last state. `client` looks, by default the administrator's. */
  async until<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    predicate: (object: ObjectOf<R> | undefined) => boolean,
    options: { readonly within?: Duration; readonly client?: Client } = {},
  ): Promise<ObjectOf<R> | undefined> {
    const { within = '60s', client = this.client } = options
    const deadline = this.clock.monotonic() + seconds(within) + (this.#disturbance ? RECOVERY : 0)
    for (;;) {
      await (this.#disturbance ? this.settled() : this.#ground.rest())
      const object = await client.find(resource, ref)
      if (predicate(object)) return object
      const left = deadline - this.clock.monotonic()
      if (left <= 0 || !(await this.#ground.step(left))) throw never(resource, ref, object, this.timeline)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const operator of this.#operators) await operator.stop()
    await this.#ground[Symbol.asyncDispose]()
  }
}

/** Seconds after which everybody should have recovered from one fault: longer than any deadline, watchdog or backoff takes. */
export const RECOVERY = 240

/** Loose: a manifest is whatever its author wrote. */
const DEFINITIONS = resource({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  scope: 'Cluster',
})

/** Another world on the same cluster may have been faster. */
function unlessItExists(error: unknown): void {
  if (!(error instanceof AlreadyExistsError)) throw error
}

function isManifest(resource: Installable): resource is NewCRD {
  return 'metadata' in resource
}

function isEstablished(crd: ObjectOf<typeof DEFINITIONS> | undefined): boolean {
  const conditions: readonly { readonly type: string; readonly status: string }[] = crd?.status?.conditions ?? []
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True')
}

function never(resource: ResourceLike, ref: Ref, last: unknown, story: string): BinnacleError {
  const name = typeof resource === 'string' ? resource : resource.kind
  return new BinnacleError('BIN_EXPECTATION', {
    message: `${name} ${JSON.stringify(ref)} did not come to be as expected; its last state: ${JSON.stringify(last, undefined, 2)}`,
    hint: `What happened:\n${story}`,
  })
}
