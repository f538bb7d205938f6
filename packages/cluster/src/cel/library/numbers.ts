/** Arithmetic that knows its limits: an int that does not fit is an error, never a wrong number. */
import { EvaluationError } from '../ast.ts'
import { type Uint, uint } from '../value.ts'

const [minInt, maxInt, maxUint] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n]

export function checkedInt(value: bigint): bigint {
  if (value < minInt || value > maxInt) throw new EvaluationError('integer overflow')
  return value
}

export function checkedUint(value: bigint): Uint {
  if (value < 0n || value > maxUint) throw new EvaluationError('unsigned integer overflow')
  return uint(value)
}

export function divided(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError('division by zero')
  return a / b
}

export function remainder(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new EvaluationError('modulus by zero')
  return a % b
}

/** The int that a double is cut to. */
export function intFromDouble(value: number): bigint {
  // 2^63 itself is the first double that does not fit.
  if (Number.isNaN(value) || value >= 2 ** 63 || value <= -(2 ** 63)) throw new EvaluationError('integer overflow')
  return BigInt(Math.trunc(value))
}

export function uintFromDouble(value: number): Uint {
  if (Number.isNaN(value) || value < 0 || value >= 2 ** 64) throw new EvaluationError('unsigned integer overflow')
  return uint(BigInt(Math.trunc(value)))
}

/** As Go prints a double: the shortest digits, an exponent where it is large or small. */
export function printDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  if (Object.is(value, -0)) return '-0'
  const [mantissa = '', exponent] = value.toExponential().split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return value.toString()
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
