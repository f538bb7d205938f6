/**
 * Effects on the events of a watch.
 * Guarantees: an event that is struck by nobody passes as it is and in its place; what is held back is delivered in order.
 */
import type { ByteStream } from '../http/byte-stream.ts'
import { StatusError } from '../http/status.ts'
import { bytesOf, textOf } from '../json.ts'
import { eventLine } from '../storage/change.ts'
import type { Timetable } from '../timetable.ts'
import { ConnectionLost, errorLine, garbled, goneError } from './answers.ts'
import type { EffectKind } from './effects.ts'
import type { Laid } from './rule.ts'

const nothing = new Uint8Array()

/** What needs no event to work. */
const immediate: ReadonlySet<EffectKind['kind']> = new Set([
  'stall',
  'hold events',
  'end watch',
  'expire',
  'fail watch',
])

type Deliver = (line: Uint8Array) => void

/** What remains of a strike for the events that follow on the same watch. */
export class StreamFaults {
  readonly #stream: ByteStream
  readonly #timetable: Timetable
  /** Events that wait: none passes those before it. */
  readonly #held: Held[] = []
  readonly #holders = new Set<number>()
  #delay = 0
  readonly #standing: Laid[] = []
  #stalled = false
  #toDrop = 0
  #late: Uint8Array | undefined
  #previous: Uint8Array | undefined

  constructor(stream: ByteStream, timetable: Timetable) {
    this.#stream = stream
    this.#timetable = timetable
  }

  /** No fault has struck this watch, so that none can strike what follows without being asked. */
  get untouched(): boolean {
    return (
      !this.#stalled &&
      this.#toDrop === 0 &&
      this.#late === undefined &&
      this.#holders.size + this.#standing.length === 0
    )
  }

  /** Faults that strike each event of the watch, also those that wait to be read when it begins. */
  prepare(striking: readonly Laid[]): void {
    for (const fault of striking) {
      if (fault.effect.kind === 'drop events') this.#toDrop += fault.effect.count
      else if (!immediate.has(fault.effect.kind)) this.#standing.push(fault)
    }
  }

  /** Faults that strike the watch itself, at once. */
  begin(striking: readonly Laid[]): void {
    for (const fault of striking) {
      if (immediate.has(fault.effect.kind)) this.#strike(fault, nothing, (line) => this.#stream.push(line))
    }
  }

  /** One event, and the faults that strike it. */
  pass(line: Uint8Array, striking: readonly Laid[], deliver: Deliver): void {
    let lines: readonly Uint8Array[] = [line]
    for (const fault of [...this.#standing, ...striking]) {
      lines = lines.flatMap((each) => this.#strike(fault, each, deliver))
    }
    if (this.#stalled) return
    for (const each of lines) this.#send(each, deliver)
    this.#previous = line
  }

  #send(line: Uint8Array, deliver: Deliver): void {
    if (this.#toDrop > 0) {
      this.#toDrop--
      return
    }
    if (this.#holders.size > 0 || this.#held.length > 0 || this.#delay > 0) {
      this.#wait(line, deliver)
      return
    }
    deliver(line)
    if (this.#late === undefined || this.#late === line) return
    deliver(this.#late)
    this.#late = undefined
  }

  /** What is left of the event. */
  #strike(fault: Laid, line: Uint8Array, deliver: Deliver): readonly Uint8Array[] {
    const { effect } = fault
    switch (effect.kind) {
      case 'drop events':
        this.#toDrop += effect.count - 1
        return []
      case 'hold events':
        this.#hold(fault, deliver)
        return [line]
      case 'stall':
        this.#stalled = true
        return []
      case 'reorder events':
        this.#late = line
        return []
      case 'delay events':
        this.#delay = effect.seconds
        return [line]
      case 'replay event':
        return this.#previous === undefined ? [line] : [line, this.#previous]
      default:
        return this.#rewritten(effect, line)
    }
  }

  #rewritten(effect: EffectKind, line: Uint8Array): readonly Uint8Array[] {
    switch (effect.kind) {
      case 'duplicate events':
        return [line, line]
      case 'repeat bookmark':
        return Array.from({ length: effect.count }, () => line)
      case 'garble':
        return [garbled(line), bytesOf('\n')]
      case 'hide initial end':
        return textOf(line).includes('"k8s.io/initial-events-end"') ? [] : [line]
      case 'unknown event':
        return [eventLine('SURPRISE', bytesOf('{}')), line]
      case 'giant line':
        return [grown(line, effect.bytes)]
      default:
        return this.#ended(effect, line)
    }
  }

  #ended(effect: EffectKind, line: Uint8Array): readonly Uint8Array[] {
    switch (effect.kind) {
      case 'end watch':
        this.#stream.end()
        return []
      case 'drop connection':
        this.#stream.cut(new ConnectionLost('ECONNRESET'))
        return []
      case 'expire':
        return this.#error(goneError())
      case 'fail watch':
        return this.#error(
          new StatusError(effect.code, undefined, effect.message ?? `a fault failed the watch with ${effect.code}`),
        )
      default:
        return [line]
    }
  }

  #error(error: StatusError): readonly Uint8Array[] {
    this.#stream.last(errorLine(error))
    return []
  }

  #hold(fault: Laid, deliver: Deliver): void {
    if (this.#holders.has(fault.id)) return
    this.#holders.add(fault.id)
    fault.onEnd.add(() => {
      this.#holders.delete(fault.id)
      this.#release(deliver)
    })
  }

  #wait(line: Uint8Array, deliver: Deliver): void {
    const held: Held = { line, late: this.#delay > 0 }
    this.#held.push(held)
    if (!held.late) return
    this.#timetable.after(this.#delay, () => {
      held.late = false
      this.#release(deliver)
    })
    this.#delay = 0
  }

  #release(deliver: Deliver): void {
    while (this.#holders.size === 0 && this.#held[0] && !this.#held[0].late)
      deliver(this.#held.shift()?.line ?? nothing)
  }
}

/** An event that waits. */
interface Held {
  readonly line: Uint8Array
  /** Its own delay is not over. */
  late: boolean
}

/** Blanks that JSON allows: the content stays what it was. */
function grown(line: Uint8Array, bytes: number): Uint8Array {
  return bytesOf(textOf(line).replace('"object":', `"object":${' '.repeat(bytes)}`))
}
