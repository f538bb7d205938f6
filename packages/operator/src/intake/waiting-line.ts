import { FirstInLine } from './first-in-line.ts'

/** Why an object waits: something has just happened to it, something fell due, or it was there when the operator came. */
export type Lane = 'fresh' | 'due' | 'backlog'

const LANES: readonly Lane[] = ['fresh', 'due', 'backlog']
const ALL_AT_ONCE = [LANES]
const ONE_BY_ONE = LANES.map((lane) => [lane])
/** One of so many goes to whoever has waited longest, so that a stream of changes starves nobody. */
const TURN_OF_THE_OLDEST = 8

interface Place {
  readonly group: string
  readonly lane: Lane
  /** The order of arrival, over all lanes. */
  readonly serial: number
  /** On the monotonic clock. */
  readonly since: number
}

/** What was taken, and since when it has waited. */
export interface Taken {
  readonly key: string
  readonly group: string
  readonly since: number
}

/**
 * Keys that wait for a place, by group and by why they wait.
 * Guarantees: a key waits once; fresh changes go before what fell due, that before the backlog, and within these the first comes first, except for
 * every eighth, which is the one that has waited longest: nobody waits for ever. A key that gets a better reason moves up.
 */
export class WaitingLine {
  readonly #places = new Map<string, Place>()
  /** By group, then by lane; keys in the order of arrival. */
  readonly #groups = new Map<string, { readonly [lane in Lane]: FirstInLine }>()
  #serial = 0
  #taken = 0

  get size(): number {
    return this.#places.size
  }

  keys(): Iterable<string> {
    return this.#places.keys()
  }

  sizeOf(group: string): number {
    const lanes = this.#groups.get(group)
    return lanes ? LANES.reduce((sum, lane) => sum + lanes[lane].size, 0) : 0
  }

  /** When the one that has waited longest came; undefined when nobody waits. */
  get oldest(): number | undefined {
    const [first] = this.#places.values()
    return first?.since
  }

  add(key: string, group: string, lane: Lane, now: number): void {
    const present = this.#places.get(key)
    if (present && LANES.indexOf(present.lane) <= LANES.indexOf(lane)) return
    if (present) this.#lanes(present.group)[present.lane].delete(key)
    const place = present ? { ...present, lane } : { group, lane, serial: this.#serial++, since: now }
    this.#places.set(key, place)
    this.#lanes(place.group)[lane].add(key)
  }

  /** The next key of a group that has room; undefined when there is none. */
  take(hasRoom: (group: string) => boolean): Taken | undefined {
    for (const among of this.#isTurnOfTheOldest ? ALL_AT_ONCE : ONE_BY_ONE) {
      const key = this.#firstOf(among, hasRoom)
      const place = key === undefined ? undefined : this.#places.get(key)
      if (key === undefined || !place) continue
      this.delete(key)
      this.#taken++
      return { key, group: place.group, since: place.since }
    }
    return undefined
  }

  delete(key: string): void {
    const place = this.#places.get(key)
    if (!place) return
    this.#places.delete(key)
    this.#lanes(place.group)[place.lane].delete(key)
  }

  clear(): void {
    this.#places.clear()
    this.#groups.clear()
  }

  get #isTurnOfTheOldest(): boolean {
    return this.#taken % TURN_OF_THE_OLDEST === TURN_OF_THE_OLDEST - 1
  }

  #firstOf(lanes: readonly Lane[], hasRoom: (group: string) => boolean): string | undefined {
    let first: { readonly key: string; readonly serial: number } | undefined
    for (const [group, keys] of this.#groups) {
      if (!hasRoom(group)) continue
      for (const lane of lanes) {
        const key = keys[lane].first
        const serial = key === undefined ? undefined : this.#places.get(key)?.serial
        if (key !== undefined && serial !== undefined && (!first || serial < first.serial)) first = { key, serial }
      }
    }
    return first?.key
  }

  #lanes(group: string): { readonly [lane in Lane]: FirstInLine } {
    const known = this.#groups.get(group) ?? {
      fresh: new FirstInLine(),
      due: new FirstInLine(),
      backlog: new FirstInLine(),
    }
    this.#groups.set(group, known)
    return known
  }
}
