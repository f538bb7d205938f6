/** What came in: the last requests, for tests to look at. */
import type { Verb } from '../kinds/kind.ts'

export interface RecordedRequest {
  readonly verb: Verb
  /** With its query. */
  readonly path: string
  /** The program's name from its User-Agent, or 'anonymous'. */
  readonly user: string
  /** Undefined until it is answered. */
  readonly status: number | undefined
  /** The JSON of the body; the text when it is none; undefined without a body. */
  readonly body: unknown
  readonly at: Date
}

const kept = 2000

export class RequestLog {
  #requests: { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] }[] = []

  /** The newest last; at least the last two thousand. */
  get all(): readonly RecordedRequest[] {
    return this.#requests
  }

  add(request: Omit<RecordedRequest, 'status'>): (verb: Verb, status: number) => void {
    if (this.#requests.length >= kept * 2) this.#requests = this.#requests.slice(-kept)
    const entry = { ...request, status: undefined as number | undefined }
    this.#requests.push(entry)
    return (verb, status) => {
      entry.verb = verb
      entry.status = status
    }
  }
}
