import { type Client, KubeConfig, type Ref } from '@binnacle/client'
import type { Cluster, FaultMatch, Faults, RecordedRequest } from '@binnacle/cluster'
import {
  AlreadyExistsError,
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
import { ExpectationError } from './expectation-error.ts'
import type { Disturbance } from './faults/disturbance.ts'
import type { FaultLine, Ground } from './ground.ts'
import { leftovers } from './leaks.ts'
import { type AnyOperator, OperatorUnderTest, type TestRunOptions } from './operator-under-test.ts'
import { embeddedGround, existingGround } from './real-ground.ts'
import { layTrap } from './trap.ts'
import { virtualGround } from './virtual-ground.ts'

/** A declared resource, or the manifest of a CustomResourceDefinition. */
// biome-ignore lint/suspicious/noExplicitAny: a resource of whichever type
export type Installable = Resource<any, any> | NewCRD

export interface WorldOptions {
  /** Installed before anything else. */
  readonly resources?: readonly Installable[]
  /** Manifests of any built-in kind, with the status that they carry; there when the story begins. Embedded clusters only. @default [] */
  readonly objects?: readonly object[]
  /** Which Kubernetes an embedded cluster is like. @default '1.36' */
  readonly version?: `1.${number}`
  /** Where uids, generated names and every other chance of an embedded cluster, and of operators, come from. @default 1 */
  readonly seed?: number
  /** Where virtual time begins. @default 2026-01-01T00:00:00Z */
  readonly from?: Date
  /** What goes wrong. Virtual worlds only. */
  readonly disturbance?: Disturbance
}

export interface VirtualWorldOptions extends WorldOptions {
  /**
   * Who moves the time. 'manual': the story does, by `advance` and `until`. 'automatic': it moves by itself to the next thing that is due, as
   * often as everybody waits for it, so that a story may simply sleep. @default 'manual'
   */
  readonly time?: 'manual' | 'automatic'
}

export interface EmbeddedWorldOptions extends WorldOptions {
  /** How many times as fast time passes, for the cluster and for operators alike: with 60 a minute takes a second. @default 1 */
  readonly scale?: number
}

export interface ExistingWorldOptions extends Omit<WorldOptions, 'objects' | 'version' | 'from'> {
  readonly kubeconfig: string | KubeConfig
  /** Whether operators reach the cluster through a proxy that can strike their requests, so that there are `faults`. @default false */
  readonly faulty?: boolean
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
  static virtual(options: VirtualWorldOptions = {}): Promise<World> {
    const { seed = 1, from, objects = [], version, time = 'manual' } = options
    const ground = { seed, objects, ...(from && { start: from }), ...(version && { version }) }
    return World.#on((activity) => virtualGround(activity, { ...ground, automatic: time === 'automatic' }), options)
  }

  /** An embedded cluster over HTTP in real time, or in scaled time: for what concerns sockets. */
  static embedded(options: EmbeddedWorldOptions = {}): Promise<World> {
    const { seed = 1, scale = 1, objects = [], version } = options
    return World.#on(
      (activity) => embeddedGround(activity, { seed, scale, objects, ...(version && { version }) }),
      options,
    )
  }

  /** A cluster that exists already. What a story leaves there stays there, so give each one its own namespace. */
  static async existing(options: ExistingWorldOptions): Promise<World> {
    const { kubeconfig: named, seed = 1, faulty = false } = options
    const kubeconfig = typeof named === 'string' ? await KubeConfig.fromFile(named) : named
    return World.#on((activity) => existingGround(activity, { seed, kubeconfig, faulty }), options)
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

  /** What goes wrong with requests: on an embedded cluster, or on the way to one that exists if the world is `faulty`. */
  get faults(): Faults {
    return this.#line.faults
  }

  /** What operators have asked of the cluster; on an embedded one, what anybody has. */
  get requests(): readonly RecordedRequest[] {
    return this.#line.requests
  }

  get #line(): FaultLine {
    const { faultLine } = this.#ground
    if (faultLine) return faultLine
    throw new TypeError(
      'Nothing stands between the operator and a cluster that exists: open the world with faulty: true',
    )
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

  /** That of the operators which are there now; in a world of many stories the others have nothing to do with this one. */
  get #presentTimeline(): string {
    const present = [...this.#operators].filter(({ alive }) => alive)
    return present.length === 0 ? this.timeline : present.map(({ ledger }) => ledger.timeline).join('\n')
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
  settled(options: { readonly limit?: number } = {}): Promise<void> {
    return this.#disturbance ? this.#recovered(this.#disturbance) : this.#ground.settle(options.limit)
  }

  /**
   * Kills the operator as soon as a request of its own that matches has been carried out, and before it hears of that; then starts it anew.
   * The trap is laid when this is called, so that the story may go on and wait for the end of it later.
   */
  async crashAfter(operator: OperatorUnderTest, match: FaultMatch, within: Duration = '60s'): Promise<void> {
    using trap = layTrap(this.faults, operator.userAgent, match, () => operator.kill())
    const deadline = this.clock.monotonic() + seconds(within)
    for (;;) {
      await this.#ground.rest()
      if (trap.sprung) break
      const left = deadline - this.clock.monotonic()
      if (left <= 0 || !(await this.#ground.step(left))) throw neverAsked(match, operator)
    }
    await operator.revive()
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
      const { strikes } = disturbance
      if (disturbance.struck) await this.#pass(RECOVERY)
      disturbance.recoveredFrom(strikes)
    } while (disturbance.struck)
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
      if (left <= 0 || !(await this.#ground.step(left))) throw never(resource, ref, object, this.#presentTimeline)
    }
  }

  /** What operators have left behind that were stopped. */
  get leftovers(): readonly string[] {
    return [...this.#operators].flatMap(leftovers)
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

function never(resource: ResourceLike, ref: Ref, last: unknown, story: string): ExpectationError {
  const name = typeof resource === 'string' ? resource : resource.kind
  const state = last === undefined ? 'it does not exist' : `its last state: ${JSON.stringify(last, undefined, 2)}`
  return new ExpectationError(`${name} ${JSON.stringify(ref)} did not come to be as expected; ${state}`, story)
}

function neverAsked(match: FaultMatch, { name, ledger }: OperatorUnderTest): ExpectationError {
  const message = `Operator "${name}" never made a request that matches ${JSON.stringify(match)}, so it did not crash`
  return new ExpectationError(message, ledger.timeline)
}
