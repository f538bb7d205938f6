/**
 * JSON text read character by character, for what JSON.parse hides: integers beyond 2^53, keys that come twice, integers written with a
 * point or an exponent.
 * Assumes: JSON.parse has accepted the text. Deep nesting has been refused before.
 */
import type { Json } from './json.ts'

/** The document with integers beyond 2^53 as bigint. The last of equal keys wins, as with JSON.parse. */
export function parseExactly(text: string): Json {
  return new Reader(text).value('')
}

/** The paths of keys that come more than once in their object, e.g. spec.color; each once. */
export function duplicateKeys(text: string): readonly string[] {
  const found = new Set<string>()
  new Reader(text, found).value('')
  return [...found]
}

/** The paths of integers that are written as other numbers are, e.g. 2.0 or 1e3. */
export function looseIntegers(text: string): ReadonlySet<string> {
  const found = new Set<string>()
  if (/\d(\.\d|[eE])/.test(text)) new Reader(text, undefined, found).value('')
  return found
}

const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const blank = /[ \t\n\r]*/y

class Reader {
  readonly #text: string
  readonly #duplicates: Set<string> | undefined
  readonly #loose: Set<string> | undefined
  #at = 0

  constructor(text: string, duplicates?: Set<string>, loose?: Set<string>) {
    this.#text = text
    this.#duplicates = duplicates
    this.#loose = loose
  }

  value(path: string): Json {
    this.#skip()
    const c = this.#text[this.#at]
    if (c === '{') return this.#object(path)
    if (c === '[') return this.#list(path)
    if (c === '"') return this.#string()
    if (c === 't' || c === 'f') return this.#word(c === 't' ? 'true' : 'false', c === 't')
    if (c === 'n') return this.#word('null', null)
    return this.#number(path)
  }

  #skip(): void {
    blank.lastIndex = this.#at
    blank.test(this.#text)
    this.#at = blank.lastIndex
  }

  #word<T>(word: string, value: T): T {
    this.#at += word.length
    return value
  }

  #number(path: string): number | bigint {
    number.lastIndex = this.#at
    const [found = '0'] = number.exec(this.#text) ?? []
    this.#at += found.length
    const value = Number(found)
    const whole = Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(found)
    if (Number.isInteger(value) && /[.eE]/.test(found)) this.#loose?.add(path)
    return whole ? BigInt(found) : value
  }

  #string(): string {
    const start = this.#at
    for (this.#at++; this.#text[this.#at] !== '"'; this.#at++) if (this.#text[this.#at] === '\\') this.#at++
    this.#at++
    return JSON.parse(this.#text.slice(start, this.#at))
  }

  #list(path: string): Json {
    const items: Json[] = []
    for (let more = this.#enter(']'); more; more = this.#more(']')) items.push(this.value(`${path}[${items.length}]`))
    return items
  }

  #object(path: string): Json {
    const entries = new Map<string, Json>()
    for (let more = this.#enter('}'); more; more = this.#more('}')) {
      this.#skip()
      const key = this.#string()
      this.#skip()
      this.#at++
      const at = path === '' ? key : `${path}.${key}`
      if (entries.has(key)) this.#duplicates?.add(at)
      const value = this.value(at)
      if (key !== '__proto__') entries.set(key, value)
    }
    return Object.fromEntries(entries)
  }

  /** Past the opening bracket; false when nothing is inside. */
  #enter(end: string): boolean {
    this.#at++
    this.#skip()
    if (this.#text[this.#at] !== end) return true
    this.#at++
    return false
  }

  /** Past a comma, or past the end. */
  #more(end: string): boolean {
    this.#skip()
    return this.#text[this.#at++] !== end
  }
}
