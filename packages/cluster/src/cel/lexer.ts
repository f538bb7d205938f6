/**
 * Text to tokens.
 * Guarantees: linear in the length of the text; every token knows where it began; whatever is no token is an Issue, never a hang.
 */
import { CompileError, type Issue } from './ast.ts'
import { type Bytes, bytesValue, uint, type Value } from './value.ts'

export interface Token {
  readonly kind: 'name' | 'literal' | 'symbol' | 'end'
  /** The text of a name or a symbol. */
  readonly text: string
  readonly value: Value | undefined
  readonly at: number
}

const space = /[ \t\r\n\f]+|\/\/[^\n]*/y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const escapedName = /`[a-zA-Z0-9_.\-/ ]+`/y
const number = /0[xX][0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?/y
const quoted = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y
const symbols = ['&&', '||', '<=', '>=', '==', '!=', '.?', '[?', ...'+-*/%!<>?:.,()[]{}']

export const maxInt = 2n ** 63n - 1n
export const maxUint = 2n ** 64n - 1n

export interface Tokens {
  readonly tokens: readonly Token[]
  /** What is no token; the rest is read nevertheless. */
  readonly issues: readonly Issue[]
}

export function tokens(source: string): Tokens {
  const found: Token[] = []
  const issues: Issue[] = []
  let at = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(source)
  }
  while (at < source.length) {
    const gap = match(space)
    if (gap) {
      at += gap[0].length
      continue
    }
    const next = tokenAt(source, at, match)
    if ('token' in next) found.push(next.token)
    else issues.push({ at, message: `Syntax error: token recognition error at: '${source.slice(at, next.end)}'` })
    at = next.end
  }
  found.push({ kind: 'end', text: '<EOF>', value: undefined, at: source.length })
  return { tokens: found, issues }
}

interface Odd {
  readonly end: number
}

interface Found {
  readonly token: Token
  readonly end: number
}

function tokenAt(source: string, at: number, match: (pattern: RegExp) => RegExpExecArray | null): Found | Odd {
  const quote = match(quoted)
  if (quote) return text(source, at, quote[1] ?? '', quote[2] ?? '"')
  const digits = match(number)
  if (digits) return literal(source, at, digits[0])
  const name = match(word)
  if (name) return { token: nameOrConstant(name[0], at), end: at + name[0].length }
  const escaped = match(escapedName)
  if (escaped) {
    const token = { kind: 'name', text: escaped[0].slice(1, -1), value: undefined, at } as const
    return { token, end: at + escaped[0].length }
  }
  const symbol = symbols.find((s) => source.startsWith(s, at))
  if (symbol === undefined) {
    const odd = String.fromCodePoint(source.codePointAt(at) ?? 0)
    // A single = looks like the beginning of ==, until the character after it.
    return { end: Math.min(source.length, at + odd.length + (odd === '=' ? 1 : 0)) }
  }
  return { token: { kind: 'symbol', text: symbol, value: undefined, at }, end: at + symbol.length }
}

const constants = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function nameOrConstant(text: string, at: number): Token {
  const value = constants.get(text)
  return value === undefined ? { kind: 'name', text, value, at } : { kind: 'literal', text, value, at }
}

function literal(source: string, at: number, digits: string): Found {
  return { token: { kind: 'literal', text: digits, value: numberOf(source, at, digits), at }, end: at + digits.length }
}

/** 2^63 itself is let through: behind a minus it is the smallest integer. The parser refuses it elsewhere. */
function numberOf(source: string, at: number, digits: string): Value {
  if (/[uU]$/.test(digits)) {
    const value = BigInt(digits.slice(0, -1))
    if (value > maxUint) throw new CompileError(source, [{ at, message: 'invalid uint literal' }])
    return uint(value)
  }
  if (/[.]|^\d+[eE]/.test(digits)) return Number(digits)
  const value = BigInt(digits)
  if (value > maxInt + 1n) throw new CompileError(source, [{ at, message: 'invalid int literal' }])
  return value
}

function text(source: string, at: number, prefix: string, quote: string): Found | Odd {
  const raw = /r/i.test(prefix)
  const asBytes = /b/i.test(prefix)
  const start = at + prefix.length + quote.length
  const end = closing(source, start, quote, raw)
  if (end === -1) return { end: source.length }
  const body = source.slice(start, end)
  const value = raw ? (asBytes ? bytesValue(Buffer.from(body)) : body) : unescaped(source, at, body, asBytes)
  return { token: { kind: 'literal', text: source.slice(at, end + quote.length), value, at }, end: end + quote.length }
}

function closing(source: string, start: number, quote: string, raw: boolean): number {
  for (let i = start; i < source.length; i++) {
    if (!raw && source[i] === '\\') i++
    else if (source.startsWith(quote, i)) return i
    else if (quote.length === 1 && source[i] === '\n') return -1
  }
  return -1
}

const simple = new Map([
  ...([
    ['a', '\x07'],
    ['b', '\b'],
    ['f', '\f'],
    ['n', '\n'],
    ['r', '\r'],
    ['t', '\t'],
    ['v', '\v'],
  ] as const),
  ...[...'\\?"\'`'].map((c) => [c, c] as const),
])
const escapes =
  /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([\s\S]))/g

function unescaped(source: string, at: number, body: string, asBytes: boolean): string | Bytes {
  const wrong = () => new CompileError(source, [{ at, message: 'Syntax error: invalid escape sequence' }])
  const chunks: Buffer[] = []
  const plain = body.replace(escapes, (_, x, x2, u, long, octal, other) => {
    if (other !== undefined) {
      const found = simple.get(other)
      if (found === undefined) throw wrong()
      return found
    }
    const code = octal === undefined ? Number.parseInt(x ?? x2 ?? u ?? long, 16) : Number.parseInt(octal, 8)
    if (asBytes && (u !== undefined || long !== undefined)) throw wrong()
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw wrong()
    // A byte of a bytes literal is one byte, whatever its value: it is marked, and put in its place below.
    return asBytes ? `\uffff${String.fromCharCode(0xe000 + code)}` : String.fromCodePoint(code)
  })
  if (!asBytes) return plain
  for (const piece of plain.split(/(\uffff[\ue000-\ue0ff])/)) {
    chunks.push(piece.startsWith('\uffff') ? Buffer.from([piece.charCodeAt(1) - 0xe000]) : Buffer.from(piece))
  }
  return bytesValue(Buffer.concat(chunks))
}
