import { type Client, connect } from '@binnacle/client'
import { type FaultMatch, type Occasion, type World, warn } from '@binnacle/testing'
import type { Clock, KubeObject, ResourceLike, WatchEvent } from 'binnacle'
import type { Start, Subject } from './subject.ts'

/** What an imitated controller has to live by. */
export interface Life {
  readonly client: Client
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly calls: string[]
  /** Whether it may act: another instance leads if not. */
  readonly leads: () => boolean
}

/** A controller, from its start to the abort of its signal. */
type Program = (life: Life) => Promise<void>

const PROGRAM = 'imitation'

/** A controller that is written with a flaw, small enough to be read in a minute. It talks to the cluster by a client of its own. */
export const imitation =
  (program: Program): Start =>
  async (world, calls) => {
    const subject = new ImitatedController(world, program, calls)
    await subject.start()
    return subject
  }

class ImitatedController implements Subject {
  readonly program = PROGRAM
  readonly #world: World
  readonly #run: Program
  readonly #calls: string[]
  #leads = true
  #life: { readonly control: AbortController; readonly client: Client; readonly ended: Promise<void> } | undefined

  constructor(world: World, run: Program, calls: string[]) {
    this.#world = world
    this.#run = run
    this.#calls = calls
  }

  async start(): Promise<void> {
    const { clock, cluster } = this.#world
    if (!cluster) throw new TypeError('An imitation lives on an embedded cluster')
    const control = new AbortController()
    const client = await connect({ transport: cluster.transport({ userAgent: PROGRAM }), clock, userAgent: PROGRAM })
    const life = { client, clock, signal: control.signal, calls: this.#calls, leads: () => this.#leads }
    // What kills one of its tasks is the end of that task, and of nothing else: that is a part of the imitation.
    const ended = this.#run(life).catch(() => {})
    this.#life = { control, client, ended }
    await this.#world.settled()
  }

  async crashAfter(match: FaultMatch): Promise<void> {
    let struck = false
    const when = ({ user }: Occasion) => {
      if (struck || user !== PROGRAM) return false
      struck = true
      void this.#kill()
      return true
    }
    using _ = this.#world.faults.always({ ...match, when }, warn('killed'))
    for (let looks = 0; looks < 60 && !struck; looks++) await this.#world.advance(1)
    if (!struck) throw new Error('The imitation never made that request')
    await this.start()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async pause(): Promise<void> {
    this.#leads = false
  }

  async stop(): Promise<void> {
    const ended = this.#life?.ended
    await this.#kill()
    await ended
  }

  async #kill(): Promise<void> {
    const life = this.#life
    this.#life = undefined
    life?.control.abort(new Error('killed'))
    await life?.client[Symbol.asyncDispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }
}

export type Seen = { readonly type: 'LISTED' | WatchEvent<KubeObject>['type']; readonly object: KubeObject }

/**
 * List, watch, and again: the loop that most controllers have, as a stream of what is there and what changes. What has vanished while no
 * watch was open is not told.
 */
export async function* listAndWatch({ client, clock, signal }: Life, resource: ResourceLike): AsyncGenerator<Seen> {
  while (!signal.aborted) {
    const { items, metadata } = await client.list(resource, { signal })
    for (const object of items as readonly KubeObject[]) yield { type: 'LISTED', object }
    const { resourceVersion } = metadata as { readonly resourceVersion: never }
    try {
      for await (const event of client.watch(resource, { signal, resourceVersion })) {
        if (event.type === 'ERROR') break
        if (event.type !== 'BOOKMARK') yield event as Seen
      }
    } catch {
      if (signal.aborted) return
    }
    await clock.sleep(1, signal)
  }
}

/** Which spec an object has, loosely. */
export function specOf(object: KubeObject): Record<string, never> {
  return (object as unknown as { readonly spec?: Record<string, never> }).spec ?? {}
}
