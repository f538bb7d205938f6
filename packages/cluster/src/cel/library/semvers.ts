/** Semantic versions. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads } from '../function.ts'
import { Opaque } from '../value.ts'

class SemverValue extends Opaque {
  readonly typeName = 'kubernetes.Semver'
  readonly numbers: readonly bigint[]
  readonly before: readonly string[]

  constructor(numbers: readonly bigint[], before: readonly string[]) {
    super()
    this.numbers = numbers
    this.before = before
  }

  equals(other: Opaque): boolean {
    return other instanceof SemverValue && compared(this, other) === 0
  }
}

const number = '(0|[1-9]\\d*)'
const names = '[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*'
const shape = new RegExp(`^${number}\\.${number}\\.${number}(?:-(${names}))?(?:\\+(${names}))?$`)

function parsed(text: string): SemverValue | undefined {
  const match = shape.exec(text)
  if (!match) return undefined
  const before = match[4]?.split('.') ?? []
  if (before.some((name) => /^0\d+$/.test(name))) return undefined
  return new SemverValue(
    match.slice(1, 4).map((digits) => BigInt(digits ?? 0)),
    before,
  )
}

/** With a "v" in front, parts left out, or zeros in front of them. */
function normalized(text: string): string {
  const [, core = '', rest = ''] = /^v?([^-+]*)(.*)$/.exec(text) ?? []
  const parts = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  while (parts.length < 3) parts.push('0')
  return parts.join('.') + rest
}

function semver(text: string, loose = false): SemverValue {
  const value = parsed(loose ? normalized(text) : text)
  if (!value) throw new EvaluationError('No Major.Minor.Patch elements found')
  return value
}

function compared(a: SemverValue, b: SemverValue): number {
  for (const [i, x] of a.numbers.entries()) {
    const y = b.numbers[i] ?? 0n
    if (x !== y) return x < y ? -1 : 1
  }
  if (a.before.length === 0 || b.before.length === 0) return Math.sign(b.before.length - a.before.length)
  for (const [i, x] of a.before.entries()) {
    const y = b.before[i]
    if (y === undefined) return 1
    const order = comparedNames(x, y)
    if (order !== 0) return order
  }
  return a.before.length < b.before.length ? -1 : 0
}

function comparedNames(x: string, y: string): number {
  const [n, m] = [/^\d+$/.test(x), /^\d+$/.test(y)]
  if (n && m) return BigInt(x) < BigInt(y) ? -1 : BigInt(x) > BigInt(y) ? 1 : 0
  if (n !== m) return n ? -1 : 1
  return x < y ? -1 : x > y ? 1 : 0
}

export const semvers = (): readonly Overload[] =>
  overloads({
    'semver(string) -> semver': (text: string) => semver(text),
    'semver(string, bool) -> semver': semver,
    'isSemver(string) -> bool': (text: string) => parsed(text) !== undefined,
    'isSemver(string, bool) -> bool': (text: string, loose: boolean) =>
      parsed(loose ? normalized(text) : text) !== undefined,
    'semver.major() -> int': (a: SemverValue) => a.numbers[0] ?? 0n,
    'semver.minor() -> int': (a: SemverValue) => a.numbers[1] ?? 0n,
    'semver.patch() -> int': (a: SemverValue) => a.numbers[2] ?? 0n,
    'semver.isGreaterThan(semver) -> bool': (a: SemverValue, b: SemverValue) => compared(a, b) > 0,
    'semver.isLessThan(semver) -> bool': (a: SemverValue, b: SemverValue) => compared(a, b) < 0,
    'semver.compareTo(semver) -> int': (a: SemverValue, b: SemverValue) => BigInt(compared(a, b)),
  })
