/**
 * Finds the end of a JSON object in bytes that arrive in pieces, and the place of one member inside it, without parsing.
 * Guarantees: the outcome does not depend on where the pieces are split; bytes inside of strings, escaped quotes included, are never
 * taken for structure; multi-byte characters are safe, as none of their bytes is an ASCII character.
 * Does not guarantee: that the object is well-formed (JSON.parse says so later), nor that a name written with escapes is found: whoever
 * cuts a member looks once more after parsing.
 */

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** A range of bytes, counted from the beginning of the object. */
export interface Cut {
  readonly start: number
  readonly end: number
}

/** The names that lead to a member, its own the last; as bytes too, because they are compared with bytes for each object. */
export interface MemberPath {
  readonly names: readonly string[]
  readonly bytes: readonly Uint8Array[]
}

export function memberPath(...names: readonly string[]): MemberPath {
  return { names, bytes: names.map((name) => Buffer.from(name)) }
}

/** `more`: give the next bytes. `list`: stands on the `[` of the member; call `skipList` and go on behind its `]`. */
export type ScanState = 'more' | 'list' | 'end'

export class MemberScanner {
  readonly #path: readonly Uint8Array[]
  readonly #stops: boolean
  /** Where the member stands, the comma before or behind it included. Joined with what is left, the object stays well-formed. */
  readonly cuts: Cut[] = []
  /** Index behind the last byte that was looked at. */
  at = 0
  #depth = 0
  /** Depth of the object whose names matter now. The objects above it are those of the path. */
  #level = 1
  #inString = false
  #escaped = false
  #stringStart = 0
  #nameComes = false
  /** The last name at this level was the one that is looked for. */
  #found = false
  /** Of the `{` or `,` before the present member. */
  #separator = 0
  #separatorIsBrace = true

  /** `when` it is found: cut the member out, or stop where its value, a list, begins. */
  constructor(path: MemberPath, when: 'cut' | 'stop-at-list') {
    this.#path = path.bytes
    this.#stops = when === 'stop-at-list'
  }

  /** Goes on at `from`. `base` is where the object begins in these bytes. */
  scan(bytes: Uint8Array, from: number, to: number, base: number): ScanState {
    for (let i = from; i < to; i++) {
      if (this.#inString) {
        i = this.#skipString(bytes, i, to, base)
        continue
      }
      if (this.#depth > this.#level) {
        i = this.#skipNested(bytes, i, to) - 1
        continue
      }
      const state = this.#structure(bytes[i], i - base)
      if (state === 'more') continue
      this.at = i + 1
      return state
    }
    this.at = to
    return 'more'
  }

  /** To be called on `list`, once its `]` has been passed. */
  skipList(): void {
    this.#found = false
  }

  /**
   * Where the member would be cut out if its name begins at `at`, the end of what was scanned, and its value ends before `end`, where the byte
   * `next` stands. Undefined if no name can begin there, or not one of the right object.
   */
  cutOf(at: number, end: number, next: number | undefined): Cut | undefined {
    const isNameHere = this.#nameComes && !this.#inString && this.#depth === this.#level
    if (!isNameHere || this.at !== at || this.#level !== this.#path.length) return undefined
    if (next !== COMMA && next !== CLOSE_OBJECT) return undefined
    if (!this.#separatorIsBrace) return { start: this.#separator, end }
    return { start: this.#separator + 1, end: next === COMMA ? end + 1 : end }
  }

  /** Whatever is deeper than the names that matter: only its end counts. Most bytes are skipped here. Index behind what was skipped. */
  #skipNested(bytes: Uint8Array, from: number, to: number): number {
    const level = this.#level
    let depth = this.#depth
    let i = from
    for (; i < to && depth > level; i++) {
      const byte = bytes[i]
      if (byte === QUOTE) i = this.#skipValue(bytes, i + 1, to)
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--
    }
    this.#depth = depth
    return i
  }

  /** Index of the quote that ends a string which is no name that matters, or of the end. */
  #skipValue(bytes: Uint8Array, from: number, to: number): number {
    let i = from
    for (; i < to; i++) {
      const byte = bytes[i]
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) return i
    }
    this.#inString = true
    this.#escaped = i > to
    return to - 1
  }

  /** Index of the quote that ends the string, or of the last byte there is. */
  #skipString(bytes: Uint8Array, from: number, to: number, base: number): number {
    let i = from
    if (this.#escaped) {
      this.#escaped = false
      i++
    }
    for (; i < to; i++) {
      const byte = bytes[i]
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) {
        this.#inString = false
        if (this.#nameComes && this.#depth === this.#level) this.#endOfName(bytes, i, base)
        return i
      }
    }
    this.#escaped = i > to
    return to
  }

  #structure(byte: number | undefined, position: number): ScanState {
    switch (byte) {
      case QUOTE:
        this.#inString = true
        this.#stringStart = position + 1
        return 'more'
      case OPEN_OBJECT:
        this.#open(position)
        return 'more'
      case OPEN_LIST:
        if (this.#stops && this.#isMember()) return 'list'
        this.#depth++
        return 'more'
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        return this.#close(position)
      case COMMA:
        if (this.#depth === this.#level) this.#nextMember(position)
        return 'more'
      case COLON:
        if (this.#depth === this.#level) this.#nameComes = false
        return 'more'
      default:
        return 'more'
    }
  }

  #isMember(): boolean {
    return this.#found && this.#depth === this.#level && this.#level === this.#path.length
  }

  #open(position: number): void {
    const first = this.#depth === 0
    const follows = this.#found && this.#depth === this.#level && this.#level < this.#path.length
    this.#depth++
    if (follows) this.#level++
    if (first || follows) this.#beginMembers(position)
  }

  #beginMembers(position: number): void {
    this.#found = false
    this.#nameComes = true
    this.#separator = position
    this.#separatorIsBrace = true
  }

  #nextMember(position: number): void {
    this.#nameComes = true
    const cutFirst = this.#cut(position, true)
    this.#found = false
    // With the first member gone the brace is followed by the next one, and stays the separator before it.
    if (cutFirst) return
    this.#separator = position
    this.#separatorIsBrace = false
  }

  #close(position: number): ScanState {
    if (this.#depth === this.#level) {
      this.#cut(position, false)
      this.#found = false
      this.#nameComes = false
      if (this.#level > 1) this.#level--
    }
    this.#depth--
    return this.#depth === 0 ? 'end' : 'more'
  }

  /** Notes the member that ends here, if it is the one to cut. True if the comma behind it is gone with it. */
  #cut(position: number, isComma: boolean): boolean {
    if (this.#stops || !this.#isMember()) return false
    const takesComma = this.#separatorIsBrace && isComma
    this.cuts.push({
      start: this.#separatorIsBrace ? this.#separator + 1 : this.#separator,
      end: takesComma ? position + 1 : position,
    })
    if (takesComma) this.#separator = position
    return takesComma
  }

  #endOfName(bytes: Uint8Array, end: number, base: number): void {
    const wanted = this.#path[this.#level - 1]
    const start = base + this.#stringStart
    this.#found =
      wanted !== undefined && wanted.length === end - start && wanted.every((b, i) => b === bytes[start + i])
  }
}
