import { isPlainObject, NetworkError } from '@binnacle/core'
import type { ManagedFields } from './decode.ts'
import { asBuffer, decodeRange, IN_OBJECT, managedFieldsScanner, textWithout, withoutManagedFields } from './decode.ts'
import { ItemBoundary } from './item-boundary.ts'
import { MemberScanner, memberPath } from './member-scan.ts'

/**
 * The bytes of a list → its items, one by one, as soon as each is complete; at the end what stands around them.
 * Guarantees: the same items as JSON.parse of the whole, whichever way the bytes are split, with managedFields dropped if asked for;
 * never more in memory than one item and one piece; whitespace and the order of the members do not matter.
 * Does not guarantee: that damage behind the last complete item is noticed before `end`.
 * Assumes: items are objects, as those of every Kubernetes list are.
 */

/** What a list says beside its items. */
export interface ListEnvelope {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata?: {
    readonly resourceVersion?: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
  readonly items?: readonly unknown[]
}

/** An API server stores objects of at most some 3 MB; what is larger is an attack or no list. */
const LARGEST_ITEM = 64 * 1024 * 1024
const COMMA = 0x2c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const ITEMS = memberPath('items')

export class ListDecoder {
  readonly #managedFields: ManagedFields
  readonly #largest: number
  /** Bytes from the beginning of the present part (item or envelope) on; valid up to `#end`. */
  #buffer = Buffer.allocUnsafe(128 * 1024)
  #start = 0
  #at = 0
  #end = 0
  /** Where we are: around the items, between two of them, inside of one, or behind the last brace. */
  #place: 'envelope' | 'items' | 'item' | 'done' = 'envelope'
  /** What may come between items: the first of them, a comma, or the next one. */
  #expects: 'first' | 'comma' | 'next' = 'first'
  readonly #envelope = new MemberScanner(ITEMS, 'stop-at-list')
  readonly #envelopeParts: Buffer[] = []
  #item = managedFieldsScanner(IN_OBJECT)
  readonly #boundary = new ItemBoundary()

  constructor(managedFields: ManagedFields, largest: number = LARGEST_ITEM) {
    this.#managedFields = managedFields
    this.#largest = largest
  }

  /** The items that these bytes complete. */
  push(chunk: Uint8Array): unknown[] {
    this.#append(chunk)
    const items: unknown[] = []
    while (this.#at < this.#end && this.#step(items)) {}
    if (this.#end - this.#start > this.#largest) throw damaged(`one item has more than ${this.#largest} bytes`)
    return items
  }

  /** To be called when the bytes have ended. */
  end(): ListEnvelope {
    if (this.#place !== 'done') throw damaged('it ends in the middle')
    const envelope = parse(Buffer.concat(this.#envelopeParts).toString()) as ListEnvelope
    // What is no list must not be taken for an empty one, which says that everything is gone.
    if (!isList(envelope)) throw damaged('it is no list')
    // Reached when the name `items` was written with escapes.
    for (const item of envelope.items ?? []) this.#strip(isPlainObject(item) ? item : notAnObject())
    return envelope
  }

  /** One stretch of bytes of one sort; false when more are needed. */
  #step(items: unknown[]): boolean {
    switch (this.#place) {
      case 'envelope':
        return this.#aroundItems()
      case 'items':
        return this.#betweenItems(items)
      case 'item':
        return this.#insideItem(items)
      case 'done':
        return this.#behind()
    }
  }

  #aroundItems(): boolean {
    const state = this.#envelope.scan(this.#buffer, this.#at, this.#end, this.#start)
    this.#at = this.#envelope.at
    if (state === 'more') return false
    this.#envelopeParts.push(Buffer.from(this.#buffer.subarray(this.#start, this.#at)))
    this.#start = this.#at
    this.#place = state === 'list' ? 'items' : 'done'
    return true
  }

  #betweenItems(items: unknown[]): boolean {
    const byte = this.#buffer[this.#at]
    if (byte === OPEN_OBJECT && this.#expects !== 'comma') {
      this.#expects = 'comma'
      this.#start = this.#at
      if (this.#guessed(items)) return true
      this.#place = 'item'
      this.#item = managedFieldsScanner(IN_OBJECT)
    } else if (byte === CLOSE_LIST && this.#expects !== 'next') {
      this.#place = 'envelope'
      this.#start = this.#at
      this.#at++
      this.#envelope.skipList()
    } else if (byte === COMMA && this.#expects === 'comma') {
      this.#expects = 'next'
      this.#at++
    } else if (isBlank(byte)) {
      this.#at++
    } else {
      throw damaged('between its items stands what does not belong there')
    }
    return true
  }

  /** The item that begins here, if it ends where it seems to. What can be parsed is an object, and no part of one can. */
  #guessed(items: unknown[]): boolean {
    const end = this.#boundary.guess(this.#buffer, this.#start, this.#end)
    if (end === undefined) return false
    try {
      items.push(decodeRange(this.#buffer, this.#start, end, this.#managedFields, IN_OBJECT))
    } catch {
      this.#boundary.wrong()
      return false
    }
    this.#at = end
    this.#start = end
    return true
  }

  #insideItem(items: unknown[]): boolean {
    const state = this.#item.scan(this.#buffer, this.#at, this.#end, this.#start)
    this.#at = this.#item.at
    if (state !== 'end') return false
    const cuts = this.#managedFields === 'drop' ? this.#item.cuts : []
    items.push(this.#strip(parse(textWithout(this.#buffer, this.#start, this.#at, cuts))))
    this.#start = this.#at
    this.#place = 'items'
    return true
  }

  #behind(): boolean {
    if (!isBlank(this.#buffer[this.#at])) throw damaged('it goes on behind its end')
    this.#at++
    this.#start = this.#at
    return true
  }

  #strip(item: unknown): unknown {
    return this.#managedFields === 'drop' ? withoutManagedFields(item, IN_OBJECT) : item
  }

  /** Moves what is still needed to the front, and puts the new bytes behind it. */
  #append(chunk: Uint8Array): void {
    const kept = this.#end - this.#start
    const room = kept + chunk.length
    const source = this.#buffer
    if (room > source.length) this.#buffer = Buffer.allocUnsafe(Math.max(room, source.length * 2))
    source.copy(this.#buffer, 0, this.#start, this.#end)
    asBuffer(chunk).copy(this.#buffer, kept)
    this.#at -= this.#start
    this.#start = 0
    this.#end = room
  }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw damaged('it is not JSON', error)
  }
}

function isList(envelope: ListEnvelope): boolean {
  return Object.hasOwn(envelope, 'items') || String(envelope.kind).endsWith('List')
}

function notAnObject(): never {
  throw damaged('an item is not an object')
}

function damaged(how: string, cause?: unknown): NetworkError {
  return new NetworkError({
    message: `The list that the server sent is damaged: ${how}`,
    hint: 'Something between client and server may have cut or changed the answer, such as a proxy.',
    mayHaveCommitted: false,
    cause,
  })
}
