import type { Client, Ref } from '@binnacle/client'
import type { Cluster } from '@binnacle/cluster'
import type { Clock, Duration, ObjectOf, ResourceLike } from '@binnacle/core'
import type { AnyEnv, Env, Health, Operator, RunningOperator } from 'binnacle'
import { type Expectations, expectations } from './expectations.ts'
import type { LogEntry, Runs } from './ledger.ts'
import type { Link } from './link.ts'
import type { OperatorUnderTest, TestRunOptions } from './operator-under-test.ts'
import { World, type WorldOptions } from './world.ts'

export interface HarnessOptions extends WorldOptions, TestRunOptions {
  /** @default 'virtual' */
  readonly time?: 'virtual' | 'real'
  /** Start the operator at once. @default true */
  readonly start?: boolean
}

/** The cluster of a harness: an administrator's verbs, and what can be done to it behind the back of its clients. */
export type TestCluster = Client & Pick<Cluster, 'actor' | 'requests'>

/**
 * An operator on an embedded cluster, on virtual time: `await using t = await harness(op, { resources: [Kex] })`.
 * Guarantees: at the end everything is stopped; with the same seed the same story happens again.
 */
export interface Harness<E extends Env = AnyEnv> extends AsyncDisposable {
  readonly cluster: TestCluster
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

  /** Every handler call so far, in order. */
  readonly runs: Runs
  readonly logs: readonly LogEntry[]
  health(): Health
  /** Throw with a readable account of the difference. */
  readonly expect: Expectations
}

export async function harness<E extends Env>(operator: Operator<E>, options: HarnessOptions = {}): Promise<Harness<E>> {
  const { time = 'virtual', start = true, resources, seed, ...runOptions } = options
  const worldOptions = { ...(resources && { resources }), ...(seed !== undefined && { seed }) }
  const world = await (time === 'virtual' ? World.virtual(worldOptions) : World.embedded(worldOptions))
  const subject = world.add(operator, runOptions)
  try {
    if (start) await subject.start()
  } catch (error) {
    await world[Symbol.asyncDispose]()
    throw error
  }
  return new WorldHarness<E>(world, subject)
}

class WorldHarness<E extends Env> implements Harness<E> {
  readonly cluster: TestCluster
  readonly expect: Expectations
  readonly #world: World
  readonly #subject: OperatorUnderTest

  constructor(world: World, subject: OperatorUnderTest) {
    this.#world = world
    this.#subject = subject
    this.cluster = withCluster(world)
    this.expect = expectations(subject.ledger, world.client)
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
    return this.#world.until(resource, ref, predicate, options)
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

  [Symbol.asyncDispose](): Promise<void> {
    return this.#world[Symbol.asyncDispose]()
  }
}

/** The administrator's client, with the embedded cluster's own means beside its verbs. */
function withCluster({ client, cluster }: World): TestCluster {
  if (!cluster) throw new TypeError('A harness runs on an embedded cluster')
  const own = { actor: { value: cluster.actor }, requests: { get: () => cluster.requests } }
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
