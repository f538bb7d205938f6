/**
 * Faults before a cluster that is not ours: a proxy on the loopback interface, with the same faults, plans and control endpoint as the
 * embedded cluster.
 * Guarantees: without faults it changes nothing but the sender; the same plan strikes the same requests as on an embedded cluster; stop
 * ends every connection, also with open watches.
 * Does not guarantee: what only the inside of a server can do: history cannot be forgotten, answers do not come from so many seconds ago, and a
 * connection that is refused has been accepted before. Upgraded connections (exec, port-forward) do not pass.
 * Assumes: whoever reaches the port may act as the proxy does. It listens on loopback only.
 */
import { type Clock, realClock } from '../clock.ts'
import { ControlDoor } from '../faults/control.ts'
import { Faults } from '../faults/faults.ts'
import { FaultyDoor } from '../faults/hooks.ts'
import { Rules } from '../faults/rule.ts'
import type { FaultStage } from '../faults/stage.ts'
import type { ByteStream } from '../http/byte-stream.ts'
import type { Door } from '../http/front.ts'
import { Listener } from '../http/listener.ts'
import { seeded } from '../random.ts'
import type { RecordedRequest } from '../request/record.ts'
import { Timetable } from '../timetable.ts'
import { type ProxyTarget, Upstream } from './upstream.ts'

export interface FaultProxyOptions {
  /** Whose requests are struck. */
  readonly target: ProxyTarget
  /** The port to listen on; 0: a free one. @default 0 */
  readonly port?: number
  /** Where the chance of faults comes from. @default 1 */
  readonly seed?: number
  /** By which delays and windows are counted. @default the system's clock */
  readonly clock?: Clock
  /** Whether faults can be laid from outside: under /binnacle/, and by the header x-binnacle-fault. @default false */
  readonly faultControl?: boolean
}

export class FaultProxy implements AsyncDisposable {
  readonly faults: Faults
  readonly #upstream: Upstream
  readonly #stage: FaultStage
  readonly #listener: Listener
  #port = 0
  #connections = 0

  private constructor({ target, seed = 1, clock = realClock, faultControl = false }: FaultProxyOptions) {
    const streams = new Set<ByteStream>()
    this.#stage = { clock, streams, timetable: new Timetable(clock), revisionAgo: noPast }
    this.#upstream = new Upstream(target, streams, clock)
    const rules = new Rules({ random: seeded(seed), now: () => clock.now(), monotonic: () => clock.monotonic() })
    this.faults = new Faults(rules)
    const faulty = new FaultyDoor(this.#upstream, rules, this.#stage, faultControl)
    const door: Door = faultControl ? new ControlDoor(faulty, this.faults, this.#actor()) : faulty
    this.#listener = new Listener(door, () => ++this.#connections)
  }

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options)
    proxy.#port = await proxy.#listener.listen(options.port ?? 0, '127.0.0.1')
    return proxy
  }

  /** Where it listens, without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The last requests that reached the server, the newest last. */
  get requests(): readonly RecordedRequest[] {
    return this.#upstream.requests
  }

  /** Breaks every open watch in the middle. */
  cutWatches(): void {
    for (const stream of [...this.#stage.streams]) stream.cut(new Error('The proxy has cut the connection'))
  }

  /** Ends every connection; new ones are welcome. */
  cutConnections(): void {
    this.#listener.cutConnections()
  }

  async stop(): Promise<void> {
    this.cutWatches()
    this.#stage.timetable.stop()
    await this.#listener.close()
    this.#upstream.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  #actor() {
    return {
      cutWatches: () => this.cutWatches(),
      restart: async () => this.cutConnections(),
      compact: () => {
        throw new TypeError('A proxy cannot make a server forget: lay the fault "expire" instead.')
      },
    }
  }
}

function noPast(): never {
  throw new TypeError('A proxy does not know which version was when: name one with answerFromThePast(resourceVersion).')
}
