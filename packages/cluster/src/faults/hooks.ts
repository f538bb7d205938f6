/**
 * The door with faults in it: between whoever asks, by a socket or in process, and the cluster that answers.
 * Guarantees: without faults a request passes untouched; what is struck after the commit has happened; a request that stalls or is
 * delayed ends when its client goes away.
 */
import { ByteStream } from '../http/byte-stream.ts'
import type { Door, FrontAnswer, RawRequest } from '../http/front.ts'
import { parseJson } from '../json.ts'
import { ConnectionLost, cutAfter, errorLine, garble, goneAnswer, goneError, refusal, slowed } from './answers.ts'
import { arrivalOf, eventOf, type Occasion } from './occasion.ts'
import { fromThePast } from './past.ts'
import { effectOf } from './plan.ts'
import { type Laid, momentOf, type Rules } from './rule.ts'
import type { FaultStage } from './stage.ts'
import { StreamFaults } from './stream-effects.ts'

export class FaultyDoor implements Door {
  readonly #inner: Door
  readonly #rules: Rules
  readonly #stage: FaultStage
  readonly #byHeader: boolean
  #requests = 0

  /** `byHeader`: requests may ask for a fault of their own. */
  constructor(inner: Door, rules: Rules, stage: FaultStage, byHeader = false) {
    this.#inner = inner
    this.#byHeader = byHeader
    this.#rules = rules
    this.#stage = stage
  }

  async answer(request: RawRequest): Promise<FrontAnswer> {
    const number = ++this.#requests
    if (this.#rules.size === 0 && !this.#byHeader) return this.#unharmed(request, number)
    const occasion = arrivalOf(request, number)
    const asked = this.#asked(request)
    const early = await this.#arrive(request, occasion, asked)
    const answer = early ?? (await this.#inner.answer(request))
    // A refusal by a fault is an answer too: it was given before the commit, and others may strike it still.
    return await this.#leave(answer, answerTo(occasion), request.signal, asked)
  }

  /** Without faults a request costs nothing more; a watch may still be struck later. */
  async #unharmed(request: RawRequest, number: number): Promise<FrontAnswer> {
    const answer = await this.#inner.answer(request)
    if (answer.body instanceof ByteStream) this.#begin(answer.body, () => arrivalOf(request, number), [])
    return answer
  }

  /** The fault that a request wants for itself. */
  #asked({ headers }: RawRequest): Laid | undefined {
    const text = this.#byHeader ? headers.get('x-binnacle-fault') : undefined
    return text === undefined ? undefined : this.#rules.loose(effectOf(parseJson(text)))
  }

  #striking(occasion: Occasion, asked: Laid | undefined): readonly Laid[] {
    const striking = this.#rules.strike(occasion)
    return asked && momentOf(asked) === occasion.moment ? [...striking, asked] : striking
  }

  async #arrive(request: RawRequest, occasion: Occasion, asked: Laid | undefined): Promise<FrontAnswer | undefined> {
    for (const { effect } of this.#striking(occasion, asked)) {
      switch (effect.kind) {
        case 'delay':
          await this.#stage.clock.sleep(effect.seconds, request.signal)
          break
        case 'stall':
          return occasion.verb === 'watch' ? silentWatch(request) : await untilAborted(request.signal)
        case 'drop connection':
          throw new ConnectionLost('ECONNRESET')
        case 'refuse connection':
          throw new ConnectionLost('ECONNREFUSED')
        case 'respond':
          return refusal(effect)
        case 'expire':
          if (effect.as === 'answer' || occasion.verb !== 'watch') return goneAnswer()
          return expiredWatch()
        case 'answer from the past':
          return await fromThePast(
            this.#inner,
            request,
            occasion,
            effect.revision ?? this.#stage.revisionAgo(effect.secondsAgo ?? 0),
          )
      }
    }
    return undefined
  }

  async #leave(
    answer: FrontAnswer,
    occasion: Occasion,
    signal: AbortSignal,
    asked: Laid | undefined,
  ): Promise<FrontAnswer> {
    const striking = this.#striking(occasion, asked)
    let seen = answer
    for (const fault of striking) seen = await this.#changed(seen, fault, signal)
    if (seen.body instanceof ByteStream) this.#own(seen.body)
    if (seen.body instanceof ByteStream && occasion.verb === 'watch') this.#begin(seen.body, () => occasion, striking)
    return seen
  }

  /** Streams that faults have made are as open as others: whoever waits for rest waits for them too. */
  #own(stream: ByteStream): void {
    const { streams } = this.#stage
    if (streams.has(stream)) return
    streams.add(stream)
    stream.onClose(() => streams.delete(stream))
  }

  async #changed(answer: FrontAnswer, { effect }: Laid, signal: AbortSignal): Promise<FrontAnswer> {
    switch (effect.kind) {
      case 'delay':
        await this.#stage.clock.sleep(effect.seconds, signal)
        return answer
      case 'stall':
        return answer.body instanceof ByteStream ? answer : await untilAborted(signal)
      case 'lose response':
        throw new ConnectionLost('ECONNRESET')
      case 'respond':
        return refusal(effect)
      case 'drop connection':
        return cutAfter(answer, effect.afterBytes ?? 0, 'broken')
      case 'truncate':
        return cutAfter(answer, effect.bytes, 'clean')
      case 'garble':
        return garble(answer)
      case 'slow down':
        return slowed(answer, effect.bytesPerSecond, this.#stage.timetable)
      case 'warn':
        return { ...answer, warnings: [...answer.warnings, effect.text] }
      case 'mislabel':
        return { ...answer, headers: new Map([...answer.headers, ['content-type', effect.contentType]]) }
      default:
        return answer
    }
  }
  /** From now on every event of the watch is an occasion. */
  #begin(stream: ByteStream, watch: () => Occasion, striking: readonly Laid[]): void {
    const faults = new StreamFaults(stream, this.#stage.timetable)
    faults.prepare(striking)
    stream.through((line, deliver) => {
      if (faults.untouched && this.#rules.size === 0) deliver(line)
      else faults.pass(line, this.#rules.strike(eventOf(watch(), line)), deliver)
    })
    faults.begin(striking)
  }
}

/** The same occasion later; spreading it would parse its body. */
function answerTo(occasion: Occasion): Occasion {
  return Object.create(occasion, { moment: { value: 'answer', enumerable: true } })
}

const headers = new Map([['content-type', 'application/json']])

/** A watch that is open, and nothing else. */
function silentWatch({ signal }: RawRequest): FrontAnswer {
  const body = new ByteStream()
  signal.addEventListener('abort', () => body.cut(signal.reason), { once: true })
  return { status: 200, headers, body, warnings: [] }
}

function expiredWatch(): FrontAnswer {
  const body = new ByteStream()
  body.last(errorLine(goneError()))
  return { status: 200, headers, body, warnings: [] }
}

/** Never, unless the client gives up. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
