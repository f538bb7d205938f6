import { kindName, type ServedKind } from '../declare/served-kind.ts'
import type { IndexedGate } from '../gate/indexed.ts'
import type { StreamHealth } from '../report/health.ts'
import { Stream, type StreamDeps, type StreamNews, signatureOf, type Wish } from './stream.ts'

export interface OrchestratorDeps extends StreamDeps {
  readonly gate: IndexedGate
  /** The server says that it does not serve the kind. */
  readonly onNotServed: () => void
  /** The server does not understand the filter that it was given for the kind. */
  readonly onFilterRefused: (kind: ServedKind) => void
}

/** Why a stream is not wanted any more. */
export type Farewell =
  /** Its objects are deleted: that is what is told of them. */
  | 'deleted'
  /** Nobody can see its objects any more: they are forgotten. */
  | 'out of sight'

/**
 * Which lists and watches run: one for each kind, or for each kind and namespace.
 * Guarantees: after `adjust` exactly what was wished for runs, or is about to; what stays is not disturbed; nothing is heard any more of what
 * does not stay, and its objects are told as deleted, or forgotten; the gate knows of all of it.
 */
export class Orchestrator {
  readonly #deps: OrchestratorDeps
  readonly #streams = new Map<string, Stream>()
  /** Streams that have been listed, or refused, at least once. */
  readonly #answered = new Set<string>()
  #waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = []

  constructor(deps: OrchestratorDeps) {
    this.#deps = deps
    // One listener for all: there may be hundreds of streams.
    deps.supervisor.signal.addEventListener('abort', () => this.#stopAll(), { once: true })
  }

  get streams(): readonly StreamHealth[] {
    return Array.from(this.#streams.values(), ({ health }) => health)
  }

  /** Names of the kinds that are being listed. Cheap, unlike all that `streams` tells: whoever waits for rest asks at each turn. */
  get listing(): readonly string[] {
    const names: string[] = []
    for (const stream of this.#streams.values()) if (stream.isListing) names.push(stream.name)
    return names
  }

  /** Whether every stream has been listed, or refused. */
  get settled(): boolean {
    return [...this.#streams.keys()].every((key) => this.#answered.has(key))
  }

  adjust(wishes: readonly Wish[], farewellOf: (kind: ServedKind, namespace: string) => Farewell): void {
    const wanted = new Map(wishes.map((wish) => [keyOf(wish), wish]))
    for (const [key, stream] of this.#streams) if (!wanted.has(key)) this.#end(key, stream, farewellOf)
    const fresh = wishes.filter((wish) => !this.#streams.has(keyOf(wish)))
    const changed = wishes.filter((wish) => this.#isOther(wish))
    this.#deps.gate.admit(
      fresh.map((wish) => ({
        resource: kindName(wish.kind),
        namespace: wish.namespace,
        indexed: wish.kind.indices.size > 0,
        received: () => this.#streams.get(keyOf(wish))?.received ?? { objects: 0 },
      })),
    )
    if (this.#deps.supervisor.signal.aborted) return
    for (const wish of [...fresh, ...changed]) this.#begin(wish)
    this.#answer()
  }

  /** Resolves when every stream has been listed or refused; rejects when the server does not know who we are. */
  whenSettled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#answer()
    })
  }

  #stopAll(): void {
    for (const stream of this.#streams.values()) stream.stop()
  }

  #isOther(wish: Wish): boolean {
    const present = this.#streams.get(keyOf(wish))
    return present !== undefined && present.signature !== signatureOf(wish)
  }

  #begin(wish: Wish): void {
    const key = keyOf(wish)
    const former = this.#streams.get(key)
    former?.stop()
    const stream = new Stream(wish, this.#deps, this.#newsOf(wish), former)
    this.#streams.set(key, stream)
    stream.start()
  }

  #end(key: string, stream: Stream, farewellOf: (kind: ServedKind, namespace: string) => Farewell): void {
    const { kind, namespace, objects } = stream
    const { intake, gate } = this.#deps
    stream.stop()
    this.#streams.delete(key)
    this.#answered.delete(key)
    const farewell = farewellOf(kind, namespace)
    for (const object of objects) {
      if (farewell === 'deleted') intake.notice(kind, { type: 'delete', object })
      else intake.forget(kind, object)
    }
    gate.dropped(kindName(kind), namespace)
  }

  #newsOf(wish: Wish): StreamNews {
    const { gate, onNotServed, onFilterRefused } = this.#deps
    const { kind, namespace } = wish
    const answered = () => {
      if (this.#streams.has(keyOf(wish))) this.#answered.add(keyOf(wish))
      this.#answer()
    }
    return {
      listed: () => {
        gate.listed(kindName(kind), namespace)
        answered()
      },
      forbidden: () => {
        gate.refused(kindName(kind), namespace)
        answered()
      },
      notServed: () => {
        answered()
        onNotServed()
      },
      filterRefused: () => onFilterRefused(kind),
      unauthorized: (error) => {
        for (const { reject } of this.#waiting.splice(0)) reject(error)
      },
    }
  }

  #answer(): void {
    if (this.settled) for (const { resolve } of this.#waiting.splice(0)) resolve()
  }
}

function keyOf({ kind, namespace }: Wish): string {
  return `${kindName(kind)} ${namespace}`
}
