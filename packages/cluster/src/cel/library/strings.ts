/** Text: positions count code points. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads, type Signatures } from '../function.ts'
import type { Value } from '../value.ts'
import { formatted } from './string-format.ts'

const points = (text: string) => [...text]

const searching: Signatures = {
  'string.contains(string) -> bool': (a: string, b: string) => a.includes(b),
  'string.startsWith(string) -> bool': (a: string, b: string) => a.startsWith(b),
  'string.endsWith(string) -> bool': (a: string, b: string) => a.endsWith(b),
  'string.charAt(int) -> string': charAt,
  'string.indexOf(string) -> int': (a: string, b: string) => indexOf(a, b, 0n),
  'string.indexOf(string, int) -> int': indexOf,
  'string.lastIndexOf(string) -> int': (a: string, b: string) => lastIndexOf(a, b, BigInt(points(a).length)),
  'string.lastIndexOf(string, int) -> int': (a: string, b: string, from: bigint) => {
    inside(from, points(a).length)
    return lastIndexOf(a, b, from)
  },
}

const changing: Signatures = {
  'string.lowerAscii() -> string': (a: string) => a.replace(/[A-Z]/g, (c) => c.toLowerCase()),
  'string.upperAscii() -> string': (a: string) => a.replace(/[a-z]/g, (c) => c.toUpperCase()),
  'string.trim() -> string': (a: string) => a.replace(/^[\s\u0085]+|[\s\u0085]+$/g, ''),
  'string.replace(string, string) -> string': (a: string, from: string, to: string) => replaced(a, from, to, -1n),
  'string.replace(string, string, int) -> string': replaced,
  'string.split(string) -> list(string)': (a: string, by: string) => split(a, by, -1n),
  'string.split(string, int) -> list(string)': split,
  'string.substring(int) -> string': (a: string, from: bigint) => substring(a, from, BigInt(points(a).length)),
  'string.substring(int, int) -> string': substring,
  'string.format(list(dyn)) -> string': (a: string, args: readonly Value[]) => formatted(a, args),
  'list(string).join() -> string': (a: readonly Value[]) => join(a, ''),
  'list(string).join(string) -> string': join,
  'strings.quote(string) -> string': quoted,
}

export const strings = (): readonly Overload[] => overloads({ ...searching, ...changing })

function inside(at: bigint, length: number): void {
  if (at < 0n || at > BigInt(length)) throw new EvaluationError(`index out of range: ${at}`)
}

function charAt(text: string, at: bigint): string {
  const all = points(text)
  inside(at, all.length)
  return all[Number(at)] ?? ''
}

function indexOf(text: string, part: string, from: bigint): bigint {
  const all = points(text)
  inside(from, all.length)
  const found = all.slice(Number(from)).join('').indexOf(part)
  return found === -1 ? -1n : from + BigInt(points(all.slice(Number(from)).join('').slice(0, found)).length)
}

/** The last place at or before `from` where the part begins. */
function lastIndexOf(text: string, part: string, from: bigint): bigint {
  const [all, wanted] = [points(text), points(part)]
  const start = Math.min(Number(from), all.length - wanted.length)
  for (let i = start; i >= 0; i--) if (wanted.every((c, k) => all[i + k] === c)) return BigInt(i)
  return -1n
}

function substring(text: string, from: bigint, to: bigint): string {
  const all = points(text)
  inside(from, all.length)
  inside(to, all.length)
  if (from > to) throw new EvaluationError(`invalid substring range. start: ${from}, end: ${to}`)
  return all.slice(Number(from), Number(to)).join('')
}

function replaced(text: string, from: string, to: string, count: bigint): string {
  if (count === 0n) return text
  const pieces = from === '' ? points(text) : text.split(from)
  if (from === '') return emptyReplaced(pieces, to, count)
  const limit = count < 0n ? pieces.length - 1 : Math.min(Number(count), pieces.length - 1)
  return (
    pieces.slice(0, limit + 1).join(to) +
    pieces
      .slice(limit + 1)
      .map((piece) => from + piece)
      .join('')
  )
}

/** An empty text is found before every character and at the end, as in Go. */
function emptyReplaced(letters: readonly string[], to: string, count: bigint): string {
  const limit = count < 0n ? letters.length + 1 : Number(count)
  const body = letters.map((letter, i) => (i < limit ? to : '') + letter).join('')
  return letters.length < limit ? body + to : body
}

function split(text: string, by: string, count: bigint): readonly string[] {
  if (count === 0n) return []
  const all = by === '' ? points(text) : text.split(by)
  if (count < 0n || all.length <= count) return all
  const kept = all.slice(0, Number(count) - 1)
  return [...kept, all.slice(Number(count) - 1).join(by)]
}

function join(items: readonly Value[], by: string): string {
  for (const item of items) if (typeof item !== 'string') throw new EvaluationError(`join: no such overload`)
  return items.join(by)
}

const escapes = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
])

function quoted(text: string): string {
  return `"${points(Buffer.from(text).toString())
    .map((c) => escapes.get(c) ?? c)
    .join('')}"`
}
