import type { Client, KubeConfig, Ref } from '@binnacle/client'
import type { Cluster } from '@binnacle/cluster'
import type { Clock, Duration, ObjectOf, ResourceLike } from '@binnacle/core'
import type { AnyEnv, Env, Health, Operator, RunningOperator } from 'binnacle'
import { type Expectations, expectations } from './expectations.ts'
import type { LogEntry, Runs } from './ledger.ts'
import type { Link } from './link.ts'
import type { AnyOperator, OperatorUnderTest, TestRunOptions } from './operator-under-test.ts'
import { OwnNamespace } from './own-namespace.ts'
import { World, type WorldOptions } from './world.ts'

export interface HarnessOptions extends WorldOptions, TestRunOptions {
  /** @default 'virtual'; 'real' with `kubeconfig` */
  readonly time?: 'virtual' | 'real'
  /**
   * A cluster that exists already, instead of an embedded one. The story then takes place in a namespace of its own there, to which the
   * operator is limited unless `namespaces` says otherwise.
   */
  readonly kubeconfig?: string | KubeConfig
  /** Start the operator at once. @default true */
  readonly start?: boolean
}

/**
 * The cluster of a harness: an administrator's verbs, in the namespace of the story, and what can be done to it behind the back of its
 * clients. The latter is an embedded cluster's alone.
 */
export type TestCluster = Client & Pick<Cluster, 'actor' | 'faults' | 'requests'>

/**
 * An operator on an embedded cluster, on virtual time: `await using t = await harness(op, { resources: [Kex] })`.
 * Guarantees: at the end everything is stopped; with the same seed the same story happens again, unless the cluster is somebody else's.
 */
export interface Harness<E extends Env = AnyEnv> extends AsyncDisposable {
  readonly cluster: TestCluster
  /** Where the story takes place: 'default', or on an existing cluster a new namespace. Objects named without one are in it. */
  readonly namespace: string
  readonly clock: Clock
  readonly operator: RunningOperator<E>
  readonly indices: E['indices']
  /** The line between the operator and its cluster, to be cut. */
  readonly link: Link

  /** Lets time pass, with everything that falls due in it, and then settles. */
  advance(duration: Duration): Promise<void>
  /** Resolves when nothing is in flight and nothing is due now. Rejects with what keeps going. */
  settled(): Promise<void>
  /** Lets time pass until the predicate holds; the error shows the last state. */
  until<R extends ResourceLike>(
    resource: R,
    ref: Ref,
    predicate: (object: ObjectOf<R> | undefined) => boolean,
    options?: { readonly within?: Duration },
  ): Promise<ObjectOf<R> | undefined>

  start(): Promise<void>
  stop(): Promise<void>
  /** Stops without cleaning up, as a killed process would, and starts anew. */
  crash(): Promise<void>
  restart(): Promise<void>

  /** One more operator in the same cluster. */
  also(operator: AnyOperator, options?: TestRunOptions): Promise<OperatorUnderTest>

  /** Every handler call so far, in order. */
  readonly runs: Runs
  readonly logs: readonly LogEntry[]
  health(): Health
  /** Throw with a readable account of the difference. */
  readonly expect: Expectations
}

export async function harness<E extends Env>(operator: Operator<E>, options: HarnessOptions = {}): Promise<Harness<E>> {
  const { time, kubeconfig, start = true, resources = [], seed = 1, ...runOptions } = options
  const world = await worldOf({ time, kubeconfig }, { resources, seed })
  try {
    const place = await OwnNamespace.in(world, resources)
    const subject = world.add(operator, { ...(place.shared && { namespaces: [place.name] }), ...runOptions })
    if (start) await subject.start()
    return new WorldHarness<E>(world, place, subject)
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
): Promise<Harness<E>> {
  const place = await OwnNamespace.in(world, [])
  return new WorldHarness<E>(world, place, await world.start(operator(), options, operator))
}

type Where = { readonly [K in 'time' | 'kubeconfig']: HarnessOptions[K] | undefined }

function worldOf({ time, kubeconfig }: Where, options: WorldOptions): Promise<World> {
  if (kubeconfig !== undefined) return World.existing({ ...options, kubeconfig })
  return time === 'real' ? World.embedded(options) : World.virtual(options)
}

class WorldHarness<E extends Env> implements Harness<E> {
  readonly cluster: TestCluster
  readonly expect: Expectations
  readonly #world: World
  readonly #place: OwnNamespace
  readonly #subject: OperatorUnderTest

  constructor(world: World, place: OwnNamespace, subject: OperatorUnderTest) {
    this.#world = world
    this.#place = place
    this.#subject = subject
    this.cluster = withCluster(place.client, world.cluster)
    this.expect = expectations(subject.ledger, place.client, world.disturbed)
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

  get logs(): readonly LogEntry[] {
    return this.#subject.logs
  }

  health(): Health {
    return this.operator.health()
  }

  advance(duration: Duration): Promise<void> {
    return this.#world.advance(duration)
  }

  settled(): Promise<void> {
    return this.#world.settled()
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

  crash(): Promise<void> {
    return this.#subject.crash()
  }

  restart(): Promise<void> {
    return this.#subject.restart()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#subject.stop()
    await this.#place[Symbol.asyncDispose]()
    await this.#world[Symbol.asyncDispose]()
  }
}

/** The administrator's client, with the embedded cluster's own means beside its verbs. */
function withCluster(client: Client, cluster: Cluster | undefined): TestCluster {
  const embedded = () => {
    if (cluster) return cluster
    throw new TypeError('Nobody can look behind a cluster that exists already: run this on an embedded one')
  }
  const own = {
    actor: { get: () => embedded().actor },
    faults: { get: () => embedded().faults },
    requests: { get: () => embedded().requests },
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
