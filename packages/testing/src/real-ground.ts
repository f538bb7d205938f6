import { connect, KubeConfig } from '@binnacle/client'
import { Cluster, FaultProxy } from '@binnacle/cluster'
import { type Clock, scaledClock, systemClock } from '@binnacle/core'
import type { Connection, FaultLine, Ground, GroundOptions } from './ground.ts'
import { proxyTarget } from './proxy-target.ts'
import { seededRandom } from './seeded-random.ts'
import type { Activity } from './settle.ts'
import { TcpLink } from './tcp-link.ts'

/** Silence after which an operator in real time counts as being at rest, and how often it is looked at: on the system's clock. */
const QUIET_SECONDS = 0.3
const LOOK_SECONDS = 0.02

export interface EmbeddedGroundOptions extends GroundOptions {
  /** How many times as fast time passes. */
  readonly scale: number
}

/** An embedded cluster over HTTP, in real time, or as many times as fast. */
export async function embeddedGround(activity: Activity, options: EmbeddedGroundOptions): Promise<Ground> {
  const { seed, objects, version, scale } = options
  const clock = scale === 1 ? systemClock : scaledClock(scale)
  const cluster = await Cluster.start({ seed, objects, clock, ...(version && { version }) })
  const config = KubeConfig.fromString(cluster.kubeconfig())
  const ground = await realTimeGround({ activity, seed, clock, config, lines: config, faultLine: cluster })
  return {
    ...ground,
    cluster,
    async [Symbol.asyncDispose]() {
      await ground[Symbol.asyncDispose]()
      await cluster.stop()
    },
  }
}

/** A cluster that exists already, in real time; with `faulty`, operators reach it through a proxy that can strike them. */
export async function existingGround(
  activity: Activity,
  { seed, kubeconfig, faulty }: { readonly seed: number; readonly kubeconfig: KubeConfig; readonly faulty: boolean },
): Promise<Ground> {
  const common = { activity, seed, clock: systemClock, config: kubeconfig }
  if (!faulty) return realTimeGround({ ...common, lines: kubeconfig, faultLine: undefined })
  const proxy = await FaultProxy.start({ target: await proxyTarget(await kubeconfig.connection()), seed })
  const lines = KubeConfig.fromConnection({ server: proxy.url })
  const ground = await realTimeGround({ ...common, lines, faultLine: proxy })
  return {
    ...ground,
    async [Symbol.asyncDispose]() {
      await ground[Symbol.asyncDispose]()
      await proxy.stop()
    },
  }
}

interface RealTime {
  readonly activity: Activity
  readonly seed: number
  readonly clock: Clock
  readonly config: KubeConfig
  /** What operators reach the cluster by. */
  readonly lines: KubeConfig
  readonly faultLine: FaultLine | undefined
}

async function realTimeGround({ activity, seed, clock, config, lines, faultLine }: RealTime): Promise<Ground> {
  const admin = await connect({ kubeconfig: config })
  return {
    virtual: false,
    clock,
    random: seededRandom(seed),
    admin,
    cluster: undefined,
    faultLine,
    connect: (userAgent, own) => cuttable(lines, userAgent, own),
    async settle() {
      for (let quiet = 0; quiet < QUIET_SECONDS; quiet = activity().length === 0 ? quiet + LOOK_SECONDS : 0) {
        await systemClock.sleep(LOOK_SECONDS)
      }
    },
    rest: async () => {},
    pass: (duration) => clock.sleep(duration),
    async step() {
      await systemClock.sleep(LOOK_SECONDS)
      return true
    },
    [Symbol.asyncDispose]: () => admin[Symbol.asyncDispose](),
  }
}

async function cuttable(config: KubeConfig, userAgent: string, clock: Clock): Promise<Connection> {
  const connection = await config.connection()
  const url = new URL(connection.server)
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  const link = await TcpLink.to({ host: url.hostname, port })
  url.hostname = '127.0.0.1'
  url.port = String(link.port)
  const client = await connect({ kubeconfig: { ...connection, server: url.href }, userAgent, clock })
  return {
    client,
    link,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]()
      await link[Symbol.asyncDispose]()
    },
  }
}
