import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Installable, type OperatorUnderTest, type TestRunOptions, World } from '@binnacle/testing'
import type { Client, ObjectOf, Operator, ResourceLike } from 'binnacle'
import { afterAll, beforeAll } from 'vitest'

/**
 * One suite, three worlds. `BINNACLE_WORLD` chooses: `virtual` (the default) is the embedded cluster on virtual time, `embedded` the same
 * over HTTP in real time, `real` a cluster that exists, named by `BINNACLE_KUBECONFIG`. The stories are the same; only their pauses differ.
 */
const kind = process.env['BINNACLE_WORLD'] ?? 'virtual'

/** Whether time stands still unless it is moved. */
const virtual = kind === 'virtual'

/** Whether the server is a real one. */
export const isReal = kind === 'real'

/** Seconds between two attempts of a handler: as long as in earnest where that costs nothing. */
export const PAUSE = virtual ? 30 : 0.2

/** Seconds after which a story is given up. */
const PATIENCE = virtual ? 3600 : 60

/** Seconds between two looks at something that is awaited. */
const LOOK = virtual ? 1 : 0.02

export interface OpenOptions {
  readonly resources?: readonly Installable[]
  /** Whether requests of operators can be struck; on a real server that takes a proxy before it. */
  readonly faulty?: boolean
}

export function openWorld({ faulty = false, ...options }: OpenOptions = {}): Promise<World> {
  switch (kind) {
    case 'virtual':
      return World.virtual(options)
    case 'embedded':
      return World.embedded(options)
    case 'real':
      return World.existing({ ...options, faulty, kubeconfig: realKubeconfig() })
    default:
      throw new Error(`BINNACLE_WORLD is "${kind}": choose virtual, embedded or real`)
  }
}

export function realKubeconfig(): string {
  const path = process.env['BINNACLE_KUBECONFIG']
  if (path) return path
  throw new Error(
    'BINNACLE_WORLD=real needs a cluster: let BINNACLE_KUBECONFIG name the kubeconfig of one, or run `npm run test:real`',
  )
}

/** The world of one test file: opened before its first test, closed after its last. */
export interface Stage {
  readonly world: World
  /** A part of the world for one test: end it with `await using`. */
  scene(): Promise<Scene>
}

export function stage(...resources: readonly Installable[]): Stage {
  return stageOf({ resources })
}

/** The same, where requests of operators can be struck. */
export function faultyStage(...resources: readonly Installable[]): Stage {
  return stageOf({ resources, faulty: true })
}

function stageOf(options: OpenOptions): Stage {
  const { resources = [] } = options
  let world: World | undefined
  const opened = () => {
    if (!world) throw new Error('The world opens before the first test of a file')
    return world
  }
  beforeAll(async () => {
    world = await openWorld(options)
  }, 60_000)
  afterAll(() => world?.[Symbol.asyncDispose]())
  return {
    get world() {
      return opened()
    },
    scene: () => Scene.in(opened(), resources),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an operator of whichever environment
type AnyOperator = Operator<any>

/**
 * A namespace of its own, and the operators that are limited to it.
 * Guarantees: at its end its operators are stopped; on a cluster that stays, the namespace and all in it are let go.
 */
export class Scene implements AsyncDisposable {
  readonly world: World
  readonly namespace: string
  /** An administrator's client, in the namespace. */
  readonly client: Client
  readonly #kinds: readonly Installable[]
  readonly #operators: OperatorUnderTest[] = []

  private constructor(world: World, namespace: string, kinds: readonly Installable[]) {
    this.world = world
    this.namespace = namespace
    this.client = world.client.with({ namespace })
    this.#kinds = kinds
  }

  static async in(world: World, kinds: readonly Installable[]): Promise<Scene> {
    const namespace = `e2e-${randomUUID().slice(0, 13)}`
    await world.client.create('namespaces', { metadata: { name: namespace }, spec: {} })
    return new Scene(world, namespace, kinds)
  }

  /** A name that no other scene uses, for what has no namespace. */
  unique(name: string): string {
    return `${name}-${this.namespace}`
  }

  add(operator: AnyOperator, options: TestRunOptions = {}): OperatorUnderTest {
    const added = this.world.add(operator, { namespaces: [this.namespace], ...options })
    this.#operators.push(added)
    return added
  }

  async start(operator: AnyOperator, options: TestRunOptions = {}): Promise<OperatorUnderTest> {
    const added = this.add(operator, options)
    await added.start()
    return added
  }

  /** Waits until the object is as the predicate wants it. */
  until<R extends ResourceLike>(
    resource: R,
    name: string,
    predicate: (object: ObjectOf<R>) => boolean,
  ): Promise<ObjectOf<R>> {
    return this.#until(resource, this.#ref(name), predicate)
  }

  /** The same for what has no namespace. */
  untilCluster<R extends ResourceLike>(
    resource: R,
    name: string,
    predicate: (object: ObjectOf<R>) => boolean,
  ): Promise<ObjectOf<R>> {
    return this.#until(resource, { name }, predicate)
  }

  async untilGone(resource: ResourceLike, name: string): Promise<void> {
    await this.world.until(resource, this.#ref(name), (object) => object === undefined, { within: PATIENCE })
  }

  /** Waits until the condition holds, whatever it looks at. */
  async when(condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = this.world.clock.monotonic() + PATIENCE
    while (!(await condition())) {
      if (this.world.clock.monotonic() > deadline) throw new Error(`It never came to this: ${condition}\n${this.story}`)
      await this.pass(LOOK)
    }
  }

  /** Waits until nothing goes on. For what must not happen; what must is awaited with `until` and `when`. */
  settled(): Promise<void> {
    return this.world.settled()
  }

  /** Lets some time pass, whether or not somebody is at work. */
  pass(seconds: number): Promise<void> {
    return virtual ? this.world.advance(seconds) : this.world.clock.sleep(seconds)
  }

  /** Makes watches that come back too late for what they have missed, so that they must list anew. Nobody can ask that of a real server. */
  forgetHistory(): void {
    this.world.cluster?.actor.compact()
  }

  /** What the operators did, for messages. */
  get story(): string {
    return this.#operators.map(({ ledger }) => ledger.timeline).join('\n\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const operator of this.#operators) await operator.stop()
    if (!this.world.cluster) await this.#leave()
  }

  #until<R extends ResourceLike>(
    resource: R,
    ref: { readonly name: string; readonly namespace?: string },
    predicate: (object: ObjectOf<R>) => boolean,
  ): Promise<ObjectOf<R>> {
    const there = (object: ObjectOf<R> | undefined) => object !== undefined && predicate(object)
    return this.world.until(resource, ref, there, { within: PATIENCE }) as Promise<ObjectOf<R>>
  }

  #ref(name: string): { readonly name: string; readonly namespace: string } {
    return { name, namespace: this.namespace }
  }

  /** Whatever still carries a finalizer would keep the namespace for ever. */
  async #leave(): Promise<void> {
    for (const kind of this.#kinds) {
      if ('metadata' in kind || kind.scope === 'Cluster') continue
      for (const { metadata } of (await this.client.list(kind)).items) {
        if (metadata.finalizers?.length) await this.#release(kind, metadata.name)
      }
    }
    await this.world.client.delete('namespaces', this.namespace)
  }

  async #release(kind: ResourceLike, name: string): Promise<void> {
    await this.client.edit(kind, name, (draft: { metadata: { finalizers?: string[] } }) => {
      delete draft.metadata.finalizers
    })
  }
}

/** A promise that the test itself keeps. */
export interface Latch {
  readonly opened: Promise<void>
  open(): void
}

export function latch(): Latch {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** As much of an object as marks need. */
interface Marked {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } }
  readonly spec?: unknown
}

/** The annotations that the operator of this name keeps on the object, by the part of their key after the slash. */
export function marksOf(operator: string, { metadata }: Marked): { readonly [mark: string]: string } {
  const prefix = `${operator}.binnacle.dev/`
  const marks = Object.entries(metadata.annotations ?? {}).filter(([key]) => key.startsWith(prefix))
  return Object.fromEntries(marks.map(([key, value]) => [key.slice(prefix.length), value]))
}

/** Whether the operator of this name is done with the object as it is. */
export const isHandledBy =
  (operator: string) =>
  (object: Marked): boolean => {
    const { 'last-handled-configuration': handled, ...others } = marksOf(operator, object)
    if (handled === undefined || Object.keys(others).length > 0) return false
    return isDeepStrictEqual(JSON.parse(handled).spec, object.spec)
  }

export function finalizerOf(operator: string): string {
  return `${operator}.binnacle.dev/finalizer`
}
