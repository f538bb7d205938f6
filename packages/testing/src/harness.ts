import type { Client, KubeConfig, Ref } from '@binnacle/client'
import type { Cluster, FaultMatch } from '@binnacle/cluster'
import type { Clock, Duration, ObjectOf, ResourceLike } from '@binnacle/core'
import type { AnyEnv, Env, Health, Operator, RunningOperator, Said, Write } from 'binnacle'
import { ExpectationError } from './expectation-error.ts'
import { type Expectations, expectations, type Findings, findingsOf } from './expectations.ts'
import type { Finalizers } from './finalizer-ledger.ts'
import { leaksFinding } from './findings.ts'
import { leaksOf } from './leaks.ts'
import type { LogEntry, Runs } from './ledger.ts'
import type { Link } from './link.ts'
import type { AnyOperator, OperatorUnderTest, TestRunOptions } from './operator-under-test.ts'
import { OwnNamespace } from './own-namespace.ts'
import { World, type WorldOptions } from './world.ts'

export interface HarnessOptions extends WorldOptions, TestRunOptions {
  /**
   * Whose time it is, for the cluster and for the operator alike. 'virtual': it stands still until the story moves it. 'automatic': the same,
   * but it moves by itself whenever everybody waits for it. 'real', and `{ scale: 60 }`: the system's, over HTTP, as it is or so many times as
   * fast. @default 'virtual'; 'real' with `kubeconfig`
   */
  readonly time?: 'virtual' | 'automatic' | 'real' | { readonly scale: number }
  /**
   * A cluster that exists already, instead of an embedded one. The story then takes place in a namespace of its own there, to which the
   * operator is limited unless `namespaces` says otherwise.
   */
  readonly kubeconfig?: string | KubeConfig
  /** On an existing cluster: whether requests of the operator can be struck by `cluster.faults`, through a proxy. @default false */
  readonly faulty?: boolean
  /** Start the operator at once. @default true */
  readonly start?: boolean
}

/**
 * The cluster of a harness: an administrator's verbs, in the namespace of the story, and what can be done to it behind the back of its
 * clients. The latter is an embedded cluster's alone.
 */
export type TestCluster = Client & Pick<Cluster, 'actor' | 'faults' | 'requests'>

/** Where the expectations of a harness come from: for the matchers of test runners. */
export const FINDINGS: unique symbol = Symbol.for('@binnacle/testing findings')

/**
 * An operator on an embedded cluster, on virtual time: `await using t = await harness(op, { resources: [Kex] })`.
 * Guarantees: at the end everything is stopped, and waits that the operator has left behind fail the test; with the same seed the same story
 * happens again, unless the cluster is somebody else's.
 */
export interface Harness<E extends Env = AnyEnv> extends AsyncDisposable {
  readonly cluster: TestCluster
  /** Where the story takes place: 'default', or on an existing cluster a new namespace. Objects named without one are in it. */
  readonly namespace: string
  readonly clock: Clock
  /** Where all chance comes from. */
  readonly seed: number
  readonly operator: RunningOperator<E>
  readonly indices: E['indices']
  /** The line between the operator and its cluster, to be cut. */
  readonly link: Link

  /** Lets time pass, with everything that falls due in it, and then settles. */
  advance(duration: Duration): Promise<void>
  /** Resolves when nothing is in flight and nothing is due now. Rejects with what keeps going, after `limit` turns of the event loop. */
  settled(options?: { readonly limit?: number }): Promise<void>
  /** Lets time pass until the predicate holds; the error shows the last state. */
  until<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    predicate: (object: ObjectOf<R> | undefined) => boolean,
    options?: { readonly within?: Duration },
  ): Promise<ObjectOf<R> | undefined>

  start(): Promise<void>
  stop(): Promise<void>
  /**
   * Stops without cleaning up, as a killed process would, and starts anew: now, or as soon as a request of the operator that matches `after`
   * has been carried out, and before the operator hears of that. The latter waits for the request, for `within` at the most (60 s); laid
   * before what leads to it, and awaited after: `const crashed = t.crash({ after: { verb: 'patch' } })`.
   */
  crash(options?: { readonly after?: FaultMatch; readonly within?: Duration }): Promise<void>
  restart(): Promise<void>

  /** One more operator in the same cluster. */
  also(operator: AnyOperator, options?: TestRunOptions): Promise<OperatorUnderTest>

  /** Every handler call so far, in order. */
  readonly runs: Runs
  /** Every write of a cycle so far, in order. */
  readonly writes: readonly Write[]
  /** What was done with the finalizer of the operator, object by object. */
  readonly finalizers: Finalizers
  readonly logs: readonly LogEntry[]
  /** What was said about objects, to be posted as Kubernetes events. */
  readonly events: readonly Said[]
  /** The whole story, one line for each thing that happened. */
  readonly timeline: string
  health(): Health
  /** Throw with a readable account of the difference. */
  readonly expect: Expectations
  readonly [FINDINGS]: Findings
}

export async function harness<E extends Env>(operator: Operator<E>, options: HarnessOptions = {}): Promise<Harness<E>> {
  const {
    time,
    kubeconfig,
    faulty,
    start = true,
    resources = [],
    objects,
    version,
    seed = 1,
    from,
    disturbance,
    ...runOptions
  } = options
  const worldOptions = {
    ...{ resources, seed },
    ...(objects && { objects }),
    ...(version && { version }),
    ...(from && { from }),
    ...(disturbance && { disturbance }),
  }
  const world = await worldOf({ time, kubeconfig, faulty }, worldOptions)
  try {
    const place = await OwnNamespace.in(world, resources)
    const subject = world.add(operator, { ...(place.shared && { namespaces: [place.name] }), ...runOptions })
    if (start) await subject.start()
    return new WorldHarness<E>(world, place, subject, seed)
  } catch (error) {
    await world[Symbol.asyncDispose]()
    throw error
  }
}

/** The same in a world that somebody else ends, with whatever disturbs it: each process of the operator is one of its own. */
export async function harnessIn<E extends Env>(
  world: World,
  operator: () => Operator<E>,
  options: TestRunOptions = {},
  seed = 1,
): Promise<Harness<E>> {
  const place = await OwnNamespace.in(world, [])
  return new WorldHarness<E>(world, place, await world.start(operator(), options, operator), seed)
}

type Where = { readonly [K in 'time' | 'kubeconfig' | 'faulty']: HarnessOptions[K] | undefined }

function worldOf({ time = 'virtual', kubeconfig, faulty = false }: Where, options: WorldOptions): Promise<World> {
  if (kubeconfig !== undefined) return World.existing({ ...options, kubeconfig, faulty })
  if (time === 'real') return World.embedded(options)
  if (typeof time === 'object') return World.embedded({ ...options, scale: time.scale })
  return World.virtual({ ...options, time: time === 'automatic' ? 'automatic' : 'manual' })
}

class WorldHarness<E extends Env> implements Harness<E> {
  readonly cluster: TestCluster
  readonly expect: Expectations
  readonly [FINDINGS]: Findings
  readonly seed: number
  readonly #world: World
  readonly #place: OwnNamespace
  readonly #subject: OperatorUnderTest

  constructor(world: World, place: OwnNamespace, subject: OperatorUnderTest, seed: number) {
    this.seed = seed
    this.#world = world
    this.#place = place
    this.#subject = subject
    this.cluster = withCluster(place.client, world)
    const leaks = () => leaksOf(subject, world.cluster)
    this[FINDINGS] = findingsOf(subject.ledger, place.client, leaks, world.disturbed)
    this.expect = expectations(this[FINDINGS])
  }

  get namespace(): string {
    return this.#place.name
  }

  get clock(): Clock {
    return this.#world.clock
  }

  get operator(): RunningOperator<E> {
    return this.#subject.running as RunningOperator<E>
  }

  get indices(): E['indices'] {
    return this.operator.indices
  }

  get link(): Link {
    return this.#subject.link
  }

  get runs(): Runs {
    return this.#subject.runs
  }

  get writes(): readonly Write[] {
    return this.#subject.ledger.writes
  }

  get finalizers(): Finalizers {
    return this.#subject.ledger.finalizers
  }

  get logs(): readonly LogEntry[] {
    return this.#subject.logs
  }

  get events(): readonly Said[] {
    return this.#subject.ledger.events
  }

  get timeline(): string {
    return this.#subject.ledger.timeline
  }

  health(): Health {
    return this.operator.health()
  }

  advance(duration: Duration): Promise<void> {
    return this.#world.advance(duration)
  }

  settled(options: { readonly limit?: number } = {}): Promise<void> {
    return this.#world.settled(options)
  }

  until<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    predicate: (object: ObjectOf<R> | undefined) => boolean,
    options?: { readonly within?: Duration },
  ): Promise<ObjectOf<R> | undefined> {
    return this.#world.until(resource, ref, predicate, { ...options, client: this.#place.client })
  }

  also(operator: AnyOperator, options: TestRunOptions = {}): Promise<OperatorUnderTest> {
    return this.#world.start(operator, options)
  }

  start(): Promise<void> {
    return this.#subject.start()
  }

  stop(): Promise<void> {
    return this.#subject.stop()
  }

  crash({ after, within }: { readonly after?: FaultMatch; readonly within?: Duration } = {}): Promise<void> {
    return after ? this.#world.crashAfter(this.#subject, after, within) : this.#subject.crash()
  }

  restart(): Promise<void> {
    return this.#subject.restart()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#subject.stop()
    await this.#place[Symbol.asyncDispose]()
    await this.#world[Symbol.asyncDispose]()
    const { holds, message } = leaksFinding(this.#world.leftovers)
    if (!holds) throw new ExpectationError(message, this.timeline)
  }
}

/** The administrator's client, with what else can be done to the cluster, and seen of it, beside its verbs. */
function withCluster(client: Client, world: World): TestCluster {
  const embedded = () => {
    if (world.cluster) return world.cluster
    throw new TypeError('Nobody can act behind the back of a cluster that exists already: run this on an embedded one')
  }
  const own = {
    actor: { get: () => embedded().actor },
    faults: { get: () => world.faults },
    requests: { get: () => world.requests },
  }
  return Object.create(bound(client), own) as TestCluster
}

/** The verbs of a client are methods with private state: whoever inherits from it calls them on the client itself. */
function bound(client: Client): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
