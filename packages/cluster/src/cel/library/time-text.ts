/** Times and durations as Go and RFC 3339 write them. */
import { EvaluationError } from '../ast.ts'
import { Duration, Timestamp } from '../value.ts'

const second = 1_000_000_000n
/** Years 1 to 9999. */
const [earliest, latest] = [-62135596800n * second, 253402300799n * second + 999_999_999n]
const maxDuration = 2n ** 63n - 1n

export function checkedTimestamp(nanos: bigint): Timestamp {
  if (nanos < earliest || nanos > latest) throw new EvaluationError('timestamp overflow')
  return new Timestamp(nanos)
}

export function checkedDuration(nanos: bigint): Duration {
  if (nanos > maxDuration || nanos < -maxDuration - 1n) throw new EvaluationError('duration overflow')
  return new Duration(nanos)
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/

/** Undefined when the text is no time. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, sec, fraction = '', zone = 'Z'] = match
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(sec))
  const whole = new Date(date)
  whole.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (
    whole.getUTCDate() !== Number(day) ||
    whole.getUTCMonth() !== Number(month) - 1 ||
    Number(hour) > 23 ||
    Number(minute) > 59 ||
    Number(sec) > 59
  )
    return undefined
  const shift = /z/i.test(zone) ? 0 : offset(zone)
  const nanos = BigInt(fraction.slice(0, 9).padEnd(9, '0'))
  return new Timestamp(BigInt(whole.getTime() / 1000 - shift) * second + nanos)
}

const offset = (zone: string) =>
  (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60)

export function printTimestamp({ nanos }: Timestamp): string {
  const seconds = nanos / second - (nanos % second < 0n ? 1n : 0n)
  const rest = nanos - seconds * second
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, `${fraction}Z`)
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}
const piece = /(\d+)?(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/y

/** 1h2m3.5s; undefined when the text is no duration. */
export function parseDuration(text: string): Duration | undefined {
  const sign = text.startsWith('-') ? -1n : 1n
  const body = text.replace(/^[-+]/, '')
  if (body === '0') return new Duration(0n)
  let nanos = 0n
  piece.lastIndex = 0
  if (body === '') return undefined
  for (let at = 0; at < body.length; at = piece.lastIndex) {
    piece.lastIndex = at
    const match = piece.exec(body)
    if (!match || (match[1] === undefined && !match[2])) return undefined
    const unit = units[match[3] ?? 's'] ?? second
    const fraction = match[2] ?? ''
    nanos += BigInt(match[1] ?? 0) * unit + (BigInt(fraction || 0) * unit) / 10n ** BigInt(fraction.length)
    if (nanos > maxDuration) return undefined
  }
  return new Duration(sign * nanos)
}

/** In seconds, as CEL shows it: 3600s, 1.5s. */
export function printDuration({ nanos }: Duration): string {
  const size = nanos < 0n ? -nanos : nanos
  const fraction = size % second
  const tail = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  return `${nanos < 0n ? '-' : ''}${size / second}${tail}s`
}
