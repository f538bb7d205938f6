/** What came in: the last requests, for tests to look at. */
import { parseJson } from '../json.ts'
import type { Verb } from '../kinds/kind.ts'

export interface RecordedRequest {
  readonly verb: Verb
  /** With its query. */
  readonly path: string
  /** The user's name; where nobody is asked for it, the program's from its User-Agent, or 'anonymous'. */
  readonly user: string
  /** Undefined until it is answered. */
  readonly status: number | undefined
  /** The JSON of the body; the text when it is none; undefined without a body. */
  readonly body: unknown
  readonly at: Date
}

interface Arrival {
  readonly verb: Verb
  readonly path: string
  readonly user: string
  readonly bytes: Uint8Array
  readonly at: Date
}

const kept = 2000

export class RequestLog {
  #requests: Entry[] = []

  /** The newest last; at least the last two thousand. */
  get all(): readonly RecordedRequest[] {
    return this.#requests
  }

  clear(): void {
    this.#requests = []
  }

  /** Returns the way to tell how it was answered. */
  add(arrival: Arrival): (verb: Verb, status: number, user: string | undefined) => void {
    if (this.#requests.length >= kept * 2) this.#requests = this.#requests.slice(-kept)
    const entry = new Entry(arrival)
    this.#requests.push(entry)
    return (verb, status, user) => {
      entry.verb = verb
      entry.user = user ?? entry.user
      entry.status = status
    }
  }
}

class Entry implements RecordedRequest {
  verb: Verb
  status: number | undefined = undefined
  readonly path: string
  user: string
  readonly at: Date
  declare readonly body: unknown

  constructor(arrival: Arrival) {
    this.verb = arrival.verb
    this.path = arrival.path
    this.user = arrival.user
    this.at = arrival.at
    // Parsed only when somebody looks, which is rare; a property of the object itself, so that a test can compare it.
    Object.defineProperty(this, 'body', { enumerable: true, get: () => bodyOf(arrival.bytes) })
  }
}

function bodyOf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined
  const text = Buffer.from(bytes).toString()
  try {
    return parseJson(text)
  } catch {
    return text
  }
}
