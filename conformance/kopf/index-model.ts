import type { ErrorsMode } from 'binnacle'

/**
 * Document 000 as a program: what each object has in an index, after whatever has happened to it.
 * Guarantees: knows nothing of how indices are kept; reads as the sections "Index content", "Conditional indexing" and "Errors in indexing" do.
 */

/** What an indexing function gives. */
export const RESULTS = ['keys', 'shared', 'value', 'list', 'nothing', 'empty', 'nulls', 'nested'] as const
/** How it fails: by an error of anybody's, or by one that says what is to become of the object. */
export const FAILURES = ['throws', 'permanent', 'temporary', 'no key', 'promise'] as const
export type What = (typeof RESULTS)[number] | (typeof FAILURES)[number]

export interface Spec {
  readonly what: What
  readonly n: number
  /** The filters do not match. */
  readonly skip: boolean
}

/** Seconds of an exclusion by a TemporaryError, and by `backoff`. */
export const DELAY = 30
export const BACKOFF = 60

export type IndexEntry = readonly [key: unknown, value: unknown]

/** What the function gives, as entries; undefined where what is there is kept. */
export function entriesOf(name: string, { what, n }: Spec): readonly IndexEntry[] | undefined {
  switch (what) {
    case 'keys':
      return [
        [`k${n % 3}`, name],
        [[name, n % 2], n],
      ]
    case 'shared':
      return [['all', n]]
    case 'value':
      return [[null, `${name}-${n}`]]
    case 'list':
      return [[null, [name, n]]]
    case 'nulls':
      return [[`k${n % 3}`, null]]
    case 'nested':
      return [['outer', { inner: { n } }]]
    case 'empty':
      return []
    default:
      return undefined
  }
}

/** What becomes of an object whose function failed. */
function fateOf(what: What, mode: ErrorsMode): { readonly excludedFor: number } | 'stays' {
  if (what === 'permanent') return { excludedFor: Number.POSITIVE_INFINITY }
  if (what === 'temporary') return { excludedFor: DELAY }
  if (mode === 'permanent') return { excludedFor: Number.POSITIVE_INFINITY }
  return mode === 'temporary' ? { excludedFor: BACKOFF } : 'stays'
}

interface Known {
  readonly name: string
  spec: Spec
  entries: readonly IndexEntry[]
  excludedUntil: number
}

export class IndexModel {
  readonly mode: ErrorsMode
  readonly #objects = new Map<string, Known>()

  constructor(mode: ErrorsMode) {
    this.mode = mode
  }

  /** The object is seen in this state. */
  see(uid: string, name: string, spec: Spec, now: number): void {
    const known = this.#objects.get(uid) ?? { name, spec, entries: [], excludedUntil: Number.NEGATIVE_INFINITY }
    this.#objects.set(uid, known)
    known.spec = spec
    if (now >= known.excludedUntil) this.#index(known, now)
  }

  /** Temporary exclusions end by themselves. */
  pass(now: number): void {
    for (const known of this.#objects.values()) {
      while (known.excludedUntil > Number.NEGATIVE_INFINITY && known.excludedUntil <= now) {
        this.#index(known, known.excludedUntil)
      }
    }
  }

  /** All others are gone, and all that was known of them. */
  keepOnly(uids: ReadonlySet<string>): void {
    for (const uid of [...this.#objects.keys()]) if (!uids.has(uid)) this.#objects.delete(uid)
  }

  /** Key and value of each entry, in a stable order. */
  get contents(): readonly string[] {
    const all = [...this.#objects.values()].flatMap(({ entries }) => entries)
    return all.map(([key, value]) => `${JSON.stringify(key)} → ${JSON.stringify(value)}`).sort()
  }

  #index(known: Known, now: number): void {
    known.excludedUntil = Number.NEGATIVE_INFINITY
    if (known.spec.skip) {
      known.entries = []
      return
    }
    if (!(FAILURES as readonly What[]).includes(known.spec.what)) {
      known.entries = entriesOf(known.name, known.spec) ?? known.entries
      return
    }
    const fate = fateOf(known.spec.what, this.mode)
    if (fate === 'stays') return
    known.entries = []
    known.excludedUntil = now + fate.excludedFor
  }
}
