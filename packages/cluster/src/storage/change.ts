/**
 * One committed change, and what it is to watchers with different selectors.
 * Guarantees: a selector is judged once per change, however many watchers share it; a line is built once per view.
 */
import { bytesOf } from '../json.ts'
import type { KubeObject } from '../object.ts'
import type { StoredRecord, View } from './record.ts'

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED'

/** Which objects a reader wants. Equal keys judge alike; the empty key wants everything. */
export interface Filter {
  readonly key: string
  matches(object: KubeObject): boolean
}

export const everything: Filter = { key: '', matches: () => true }

export interface Sight {
  readonly type: ChangeType
  readonly record: StoredRecord
}

export class Change {
  readonly type: ChangeType
  /** The new state; of a deletion the last state under the version of the deletion. */
  readonly record: StoredRecord
  readonly previous: StoredRecord | undefined
  readonly #sights = new Map<string, Sight | undefined>()
  readonly #lines = new Map<string, Uint8Array>()

  constructor(type: ChangeType, record: StoredRecord, previous: StoredRecord | undefined) {
    this.type = type
    this.record = record
    this.previous = previous
  }

  get revision(): number {
    return this.record.revision
  }

  /** What a watcher with this filter sees of the change: entering is ADDED, leaving is DELETED with the content from before. */
  seenThrough(filter: Filter): Sight | undefined {
    if (filter.key === '') return this
    if (this.#sights.has(filter.key)) return this.#sights.get(filter.key)
    const sight = this.#judge(filter)
    this.#sights.set(filter.key, sight)
    return sight
  }

  #judge(filter: Filter): Sight | undefined {
    const before = this.previous !== undefined && filter.matches(this.previous.object)
    const after = this.type !== 'DELETED' && filter.matches(this.record.object)
    if (before && after) return this
    if (after) return { type: 'ADDED', record: this.record }
    if (!before || this.previous === undefined) return undefined
    if (this.type === 'DELETED') return this
    return { type: 'DELETED', record: this.previous.at(this.revision) }
  }

  line(sight: Sight, view: View): Uint8Array {
    const id = `${sight.type} ${view.id}`
    let line = this.#lines.get(id)
    if (line === undefined) {
      line = eventLine(sight.type, sight.record.encoded(view))
      this.#lines.set(id, line)
    }
    return line
  }

  /** Lines are shared while the change is told; kept in the history they would only cost memory. */
  forgetLines(): void {
    this.#lines.clear()
    this.#sights.clear()
  }
}

const tail = bytesOf('}\n')

/** One event of a watch: a JSON document on a line of its own. */
export function eventLine(type: string, object: Uint8Array): Uint8Array {
  const head = bytesOf(`{"type":"${type}","object":`)
  const line = new Uint8Array(head.length + object.length + tail.length)
  line.set(head, 0)
  line.set(object, head.length)
  line.set(tail, head.length + object.length)
  return line
}
