import { type Client, connect, KubeConfig } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { type Clock, type Duration, systemClock, VirtualClock } from '@binnacle/core'
import { type Link, TransportLink } from './link.ts'
import { seededRandom } from './seeded-random.ts'
import { type Activity, rest, settle } from './settle.ts'
import { TcpLink } from './tcp-link.ts'

/** A way to the cluster for one operator, which can be cut. */
export interface Connection extends AsyncDisposable {
  readonly client: Client
  readonly link: Link
}

/** Where an operator is tried: which cluster, and whose time. */
export interface Ground extends AsyncDisposable {
  /** Time stands still unless it is moved. */
  readonly virtual: boolean
  readonly clock: Clock
  /** Chance for operators, from the seed of the world. */
  readonly random: () => number
  /** An administrator's client, whose line is never cut. */
  readonly admin: Client
  /** The embedded cluster; undefined where the cluster is somebody else's. */
  readonly cluster: Cluster | undefined
  /** A line for the program of this name. */
  connect(userAgent: string): Promise<Connection>
  /** Waits until nothing is in flight. */
  settle(): Promise<void>
  /** As `settle`, but does not wait for handlers that wait for time themselves. In real time it waits for nothing. */
  rest(): Promise<void>
  /** Lets time pass. */
  pass(duration: Duration): Promise<void>
  /** Lets as little time pass as can make a difference, `limit` at the most, and then rests; false when nothing would. Assumes: all is at rest. */
  step(limit: number): Promise<boolean>
}

/** Turns of the event loop that a virtual world may take to come to rest. */
const LIMIT = 100_000

/** An embedded cluster without a socket, on time that stands still until it is moved. */
export async function virtualGround(activity: Activity, seed: number, start?: Date): Promise<Ground> {
  const all: Activity = () => {
    clock.wakeDue() // Whoever sleeps for no time at all is due without a move of the clock.
    return [...activity(), ...(cluster.idle() ? [] : ['the cluster'])]
  }
  const clock = new VirtualClock({ settle: () => rest(all, LIMIT), ...(start && { start }) })
  const cluster = await Cluster.start({ clock, seed, listen: false })
  const admin = await connect({ transport: cluster.transport(), clock, userAgent: 'test' })
  return {
    virtual: true,
    clock,
    random: seededRandom(seed),
    admin,
    cluster,
    async connect(userAgent) {
      const link = new TransportLink(cluster.transport({ userAgent }))
      const client = await connect({ transport: link, clock, userAgent })
      return { client, link, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() }
    },
    settle: () => settle(all, LIMIT),
    rest: () => rest(all, LIMIT),
    pass: (duration) => clock.advance(duration),
    async step(limit) {
      const next = clock.untilNext
      return next !== undefined && next <= limit && clock.moveToNext()
    },
    async [Symbol.asyncDispose]() {
      await admin[Symbol.asyncDispose]()
      await cluster.stop()
    },
  }
}

/** An embedded cluster over HTTP, in real time. */
export async function embeddedGround(activity: Activity, seed: number): Promise<Ground> {
  const cluster = await Cluster.start({ seed })
  const ground = await realTimeGround(activity, seed, KubeConfig.fromString(cluster.kubeconfig()), cluster)
  return {
    ...ground,
    async [Symbol.asyncDispose]() {
      await ground[Symbol.asyncDispose]()
      await cluster.stop()
    },
  }
}

/** A cluster that exists already, in real time. */
export function existingGround(activity: Activity, seed: number, kubeconfig: KubeConfig): Promise<Ground> {
  return realTimeGround(activity, seed, kubeconfig, undefined)
}

/** Silence after which an operator in real time counts as being at rest, and how often it is looked at. */
const QUIET_SECONDS = 0.3
const LOOK_SECONDS = 0.02

async function realTimeGround(
  activity: Activity,
  seed: number,
  config: KubeConfig,
  cluster: Cluster | undefined,
): Promise<Ground> {
  const clock = systemClock
  const admin = await connect({ kubeconfig: config })
  return {
    virtual: false,
    clock,
    random: seededRandom(seed),
    admin,
    cluster,
    connect: (userAgent) => cuttable(config, userAgent),
    async settle() {
      for (let quiet = 0; quiet < QUIET_SECONDS; quiet = activity().length === 0 ? quiet + LOOK_SECONDS : 0) {
        await clock.sleep(LOOK_SECONDS)
      }
    },
    rest: async () => {},
    pass: (duration) => clock.sleep(duration),
    async step() {
      await clock.sleep(LOOK_SECONDS)
      return true
    },
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  }
}

async function cuttable(config: KubeConfig, userAgent: string): Promise<Connection> {
  const connection = await config.connection()
  const url = new URL(connection.server)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const link = await TcpLink.to({ host: url.hostname, port })
  url.hostname = '127.0.0.1'
  url.port = String(link.port)
  const client = await connect({ kubeconfig: { ...connection, server: url.href }, userAgent })
  return {
    client,
    link,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
    },
  }
}
