/** "%s has %d".format([…]) */
import { EvaluationError } from '../ast.ts'
import { Duration, isList, isMap, Timestamp, TypeValue, typeName, Uint, type Value } from '../value.ts'
import { printDouble } from './numbers.ts'
import { printDuration, printTimestamp } from './time-text.ts'

const clause = /%(?:\.(\d+))?([a-zA-Z%]?)/g
const maxPrecision = 1000

export function formatted(pattern: string, args: readonly Value[]): string {
  let next = 0
  const result = pattern.replace(clause, (_, digits: string | undefined, verb: string) => {
    if (verb === '%') return '%'
    if (next >= args.length) throw new EvaluationError(`index ${next} out of range`)
    const precision = digits === undefined ? undefined : Number(digits)
    if (precision !== undefined && precision > maxPrecision) throw new EvaluationError('the precision is too large')
    return shownAs(verb, args[next++] as Value, precision)
  })
  return result
}

function shownAs(verb: string, value: Value, precision: number | undefined): string {
  const wrong = (what: string) =>
    new EvaluationError(`error during formatting: ${what} clause can only be used on it, was given ${typeName(value)}`)
  switch (verb) {
    case 's':
      return textOf(value)
    case 'd':
      return decimal(value) ?? raise(wrong('integer'))
    case 'f':
      return fixed(value, precision ?? 6) ?? raise(wrong('fixed-point'))
    case 'e':
      return scientific(value, precision ?? 6) ?? raise(wrong('scientific'))
    case 'b':
      return based(value, 2) ?? raise(wrong('binary'))
    case 'o':
      return based(value, 8) ?? raise(wrong('octal'))
    case 'x':
      return hex(value) ?? raise(wrong('hex'))
    case 'X':
      return hex(value)?.toUpperCase() ?? raise(wrong('hex'))
    default:
      throw new EvaluationError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
  }
}

function raise(error: Error): never {
  throw error
}

function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value
  return value instanceof Uint ? value.value : undefined
}

function decimal(value: Value): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return infinite(value)
  return integerOf(value)?.toString()
}

const infinite = (value: number) => (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity')

function numberOf(value: Value): number | undefined {
  const whole = integerOf(value)
  return whole === undefined ? (typeof value === 'number' ? value : undefined) : Number(whole)
}

function fixed(value: Value, precision: number): string | undefined {
  const number = numberOf(value)
  if (number === undefined) return undefined
  if (!Number.isFinite(number)) return infinite(number)
  // Thousands are parted by commas, whatever the user's language.
  return number.toFixed(Math.min(precision, 100)).replace(/\B(?=(\d{3})+(?=\.|$))(?<!\.\d*)/g, ',')
}

function scientific(value: Value, precision: number): string | undefined {
  const number = numberOf(value)
  if (number === undefined) return undefined
  if (!Number.isFinite(number)) return infinite(number)
  const [digits = '', power = '0'] = number.toExponential(Math.min(precision, 100)).split('e')
  const raised = String(Math.abs(Number(power)))
    .padStart(2, '0')
    .replace(/\d/g, (digit) => superscript[Number(digit)] ?? '')
  return `${digits}\u00d710${power.startsWith('-') ? '\u207b' : ''}${raised}`
}

const superscript = [...'\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079']

function based(value: Value, base: number): string | undefined {
  if (typeof value === 'boolean') return base === 2 ? (value ? '1' : '0') : undefined
  return integerOf(value)?.toString(base)
}

function hex(value: Value): string | undefined {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return integerOf(value)?.toString(16)
}

/** Lists and maps show their parts; the keys of a map are sorted. */
function textOf(value: Value): string {
  if (value === null) return 'null'
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? printDouble(value) : infinite(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof Timestamp) return printTimestamp(value)
  if (value instanceof Duration) return printDuration(value)
  if (value instanceof TypeValue) return value.name
  if (isList(value)) return `[${value.map(inner).join(', ')}]`
  if (isMap(value)) {
    const keys = [...value.keys()].map((key) => [inner(key), inner(value.get(key) as Value)] as const)
    return `{${keys
      .sort((a, b) => (a[0] < b[0] ? -1 : 1))
      .map(([key, item]) => `${key}:${item}`)
      .join(', ')}}`
  }
  if (typeof value === 'object')
    throw new EvaluationError(`string clause can only be used on strings, was given ${typeName(value)}`)
  return String(value)
}

/** Inside of a list or a map texts are quoted, and doubles have six places. */
function inner(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'number' && Number.isFinite(value) ? value.toFixed(6) : textOf(value)
}
