import type { Remark } from './recorder.ts'

/** What becomes of a remark: a new event, one more of an earlier one, or nothing. */
export type Correlated =
  | { readonly do: 'create'; readonly key: string; readonly message: string }
  | {
      readonly do: 'count'
      readonly key: string
      readonly name: string
      readonly count: number
      readonly message: string
    }
  | { readonly do: 'drop' }

/** Different messages of one reason, within the window, after which they are told as one. */
const MANY = 10
/** Seconds. */
const WINDOW = 600
/** Events of one type about one object that may be posted at once, and the seconds after which there may be one more. */
const BURST = 25
const REFILL = 300
/** Things remembered of each sort; the oldest go first. */
const MOST = 4096

interface Similar {
  readonly messages: Set<string>
  since: number
}
interface Bucket {
  tokens: number
  at: number
}
interface Posted {
  name: string
  count: number
}

/**
 * Joins similar remarks, counts equal ones, and stops floods, in this order, as client-go does.
 * Guarantees: deterministic, for times that do not go back; memory is bounded.
 */
export class Correlator {
  readonly #similar = new Map<string, Similar>()
  readonly #posted = new Map<string, Posted>()
  readonly #buckets = new Map<string, Bucket>()

  correlate(remark: Remark, now: number): Correlated {
    const group = groupOf(remark)
    const joined = this.#isOneOfMany(group, remark.message, now)
    const message = joined ? `(combined from similar events): ${remark.message}` : remark.message
    const key = joined ? group : `${group} ${remark.message}`
    const posted = this.#posted.get(key)
    // What is not posted is counted all the same: the next one that is says how many there were.
    if (posted) posted.count++
    if (!this.#mayPass(`${remark.type} ${remark.object.metadata.uid}`, now)) return { do: 'drop' }
    if (!posted) return { do: 'create', key, message }
    return { do: 'count', key, name: posted.name, count: posted.count, message }
  }

  /** The event is there, under this name. */
  remember(key: string, name: string): void {
    put(this.#posted, key, { name, count: 1 })
  }

  /** The event is gone: the next one like it is new. */
  forget(key: string): void {
    this.#posted.delete(key)
  }

  #isOneOfMany(group: string, message: string, now: number): boolean {
    const known = this.#similar.get(group)
    const similar = known && now - known.since <= WINDOW ? known : { messages: new Set<string>(), since: now }
    similar.since = now
    if (similar.messages.size < MANY) similar.messages.add(message)
    put(this.#similar, group, similar)
    return similar.messages.size >= MANY
  }

  #mayPass(flood: string, now: number): boolean {
    const bucket = this.#buckets.get(flood) ?? { tokens: BURST, at: now }
    bucket.tokens = Math.min(BURST, bucket.tokens + (now - bucket.at) / REFILL)
    bucket.at = now
    put(this.#buckets, flood, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens--
    return true
  }
}

function groupOf({ object, related, type, reason, action }: Remark): string {
  return JSON.stringify([object.metadata.uid, related?.metadata.uid, type, reason, action])
}

/** The newest at the end, and not too many. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > MOST && oldest !== undefined) map.delete(oldest)
}
