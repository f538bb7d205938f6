/** Quantities: 100m, 1.5Gi, 3e2. Exact, as a fraction of integers. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads, type Signatures } from '../function.ts'
import { Opaque } from '../value.ts'
import { checkedInt } from './numbers.ts'

/** The value is number / 10^9 nano parts: no quantity is finer. */
class QuantityValue extends Opaque {
  readonly typeName = 'kubernetes.Quantity'
  readonly nanos: bigint

  constructor(nanos: bigint) {
    super()
    this.nanos = nanos
  }

  equals(other: Opaque): boolean {
    return other instanceof QuantityValue && other.nanos === this.nanos
  }
}

const unit = 1_000_000_000n
const shape = /^([+-]?)(\d+)?(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const decimal: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 }

function parsed(text: string): QuantityValue | undefined {
  const match = shape.exec(text)
  if (!match || (match[2] === undefined && !match[3])) return undefined
  const [, sign, whole = '0', fraction = '', suffix = ''] = match
  const digits = BigInt(whole + fraction)
  const [factor, divisor] = scale(suffix, fraction.length)
  if (factor > 10n ** 60n || divisor > 10n ** 60n) return undefined
  const scaled = digits * factor * unit
  // Finer than a nano part is rounded up, away from zero.
  const nanos = scaled % divisor === 0n ? scaled / divisor : scaled / divisor + 1n
  return new QuantityValue(sign === '-' ? -nanos : nanos)
}

function scale(suffix: string, places: number): readonly [factor: bigint, divisor: bigint] {
  const at = binary.indexOf(suffix)
  if (at >= 0) return [1024n ** BigInt(at + 1), 10n ** BigInt(places)]
  const exponent = /^[eE]/.test(suffix) && suffix.length > 1 ? Number(suffix.slice(1)) : (decimal[suffix] ?? 0)
  const power = Math.max(-100, Math.min(100, exponent - places))
  return power >= 0 ? [10n ** BigInt(power), 1n] : [1n, 10n ** BigInt(-power)]
}

function quantity(text: string): QuantityValue {
  const value = parsed(text)
  if (!value) {
    const why = text === '' ? 'quantities must match the regular expression' : 'unable to parse quantity'
    throw new EvaluationError(`failed to parse quantity: ${why}: ${JSON.stringify(text)}`)
  }
  return value
}

const isInteger = (value: QuantityValue) => value.nanos % unit === 0n

function asInteger(value: QuantityValue): bigint {
  if (!isInteger(value)) throw new EvaluationError('cannot convert value to integer')
  return checkedInt(value.nanos / unit)
}

const changing: Signatures = {
  'quantity.add(quantity) -> quantity': (a: QuantityValue, b: QuantityValue) => new QuantityValue(a.nanos + b.nanos),
  'quantity.add(int) -> quantity': (a: QuantityValue, b: bigint) => new QuantityValue(a.nanos + b * unit),
  'quantity.sub(quantity) -> quantity': (a: QuantityValue, b: QuantityValue) => new QuantityValue(a.nanos - b.nanos),
  'quantity.sub(int) -> quantity': (a: QuantityValue, b: bigint) => new QuantityValue(a.nanos - b * unit),
}

export const quantities = (): readonly Overload[] =>
  overloads({
    'quantity(string) -> quantity': quantity,
    'isQuantity(string) -> bool': (text: string) => parsed(text) !== undefined,
    'sign(quantity) -> int': (a: QuantityValue) => (a.nanos > 0n ? 1n : a.nanos < 0n ? -1n : 0n),
    'quantity.isInteger() -> bool': isInteger,
    'quantity.asInteger() -> int': asInteger,
    'quantity.asApproximateFloat() -> double': (a: QuantityValue) => Number(a.nanos) / Number(unit),
    'quantity.isGreaterThan(quantity) -> bool': (a: QuantityValue, b: QuantityValue) => a.nanos > b.nanos,
    'quantity.isLessThan(quantity) -> bool': (a: QuantityValue, b: QuantityValue) => a.nanos < b.nanos,
    'quantity.compareTo(quantity) -> int': (a: QuantityValue, b: QuantityValue) =>
      a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n,
    ...changing,
  })
