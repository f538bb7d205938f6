import { connect } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { VirtualClock } from '@binnacle/core'
import type { Ground, GroundOptions } from './ground.ts'
import { TransportLink } from './link.ts'
import { seededRandom } from './seeded-random.ts'
import { type Activity, rest, settle } from './settle.ts'

/** Turns of the event loop that a virtual world may take to come to rest. */
const LIMIT = 100_000

export interface VirtualGroundOptions extends GroundOptions {
  readonly start?: Date
  /** Whether time moves by itself. */
  readonly automatic: boolean
}

/** An embedded cluster without a socket, on time that stands still until it is moved, or that moves whenever everybody waits for it. */
export async function virtualGround(activity: Activity, options: VirtualGroundOptions): Promise<Ground> {
  const { seed, start, objects, version, automatic } = options
  const all: Activity = () => {
    clock.wakeDue() // Whoever sleeps for no time at all is due without a move of the clock.
    return [...activity(), ...(cluster.idle() ? [] : ['the cluster'])]
  }
  const clock = new VirtualClock({ settle: () => rest(all, LIMIT), ...(start && { start }) })
  const cluster = await Cluster.start({ clock, seed, objects, listen: false, ...(version && { version }) })
  const admin = await connect({ transport: cluster.transport(), clock, userAgent: 'test' })
  const mover = automatic ? moving(clock) : undefined
  return {
    virtual: !automatic,
    clock,
    random: seededRandom(seed),
    admin,
    cluster,
    faultLine: cluster,
    async connect(userAgent, own) {
      const link = new TransportLink(cluster.transport({ userAgent }))
      const client = await connect({ transport: link, clock: own, userAgent })
      return { client, link, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
    },
    settle: (limit = LIMIT) => settle(all, limit),
    rest: () => rest(all, LIMIT),
    pass: (duration) => (automatic ? clock.sleep(duration) : clock.advance(duration)),
    async step(limit) {
      const next = clock.untilNext
      if (next === undefined || next > limit) return false
      if (!automatic) return clock.moveToNext()
      await clock.sleep(next)
      return true
    },
    async [Symbol.asyncDispose]() {
      await mover?.stop()
      await admin[Symbol.asyncDispose]()
      await cluster.stop()
    },
  }
}

/** Moves the clock until it is stopped, which rejects if the world did not come to rest in between. */
function moving(clock: VirtualClock): { stop(): Promise<void> } {
  const control = new AbortController()
  const moved = clock.moveByItself(control.signal)
  // Whoever stops it hears of it; until then nobody waits for it.
  moved.catch(() => {})
  return {
    stop() {
      control.abort()
      return moved
    },
  }
}
