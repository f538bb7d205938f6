/** The parts of times and durations. */
import { EvaluationError } from '../ast.ts'
import { type Overload, overloads, type Signatures } from '../function.ts'
import type { Duration, Timestamp } from '../value.ts'

const second = 1_000_000_000n
const int = (value: number) => BigInt(Math.trunc(value))

const parts: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
}

const durationParts: Readonly<Record<string, bigint>> = {
  getHours: 3600n * second,
  getMinutes: 60n * second,
  getSeconds: second,
}

export function times(): readonly Overload[] {
  const found: Record<string, Signatures[string]> = {
    'duration.getMilliseconds() -> int': (d: Duration) => d.nanos / 1_000_000n,
  }
  for (const [name, part] of Object.entries(parts)) {
    found[`timestamp.${name}() -> int`] = (time: Timestamp) => int(part(dateOf(time)))
    found[`timestamp.${name}(string) -> int`] = (time: Timestamp, zone: string) => int(part(inZone(time, zone)))
  }
  for (const [name, unit] of Object.entries(durationParts)) {
    found[`duration.${name}() -> int`] = (d: Duration) => d.nanos / unit
  }
  return overloads(found)
}

const dateOf = ({ nanos }: Timestamp) => new Date(Number(nanos / 1_000_000n))

/** The same moment as a clock of that zone shows it, in the UTC fields of a date. */
function inZone(time: Timestamp, zone: string): Date {
  const date = dateOf(time)
  const fixed = /^([+-]?)(\d\d):(\d\d)$/.exec(zone)
  if (fixed) {
    const minutes = (Number(fixed[2]) * 60 + Number(fixed[3])) * (fixed[1] === '-' ? -1 : 1)
    return new Date(date.getTime() + minutes * 60_000)
  }
  return new Date(date.getTime() + zoneOffset(date, zone))
}

function zoneOffset(date: Date, zone: string): number {
  try {
    const options = { timeZone: zone, hourCycle: 'h23', dateStyle: 'short', timeStyle: 'medium' } as const
    const shown = new Intl.DateTimeFormat('sv-SE', options).format(date)
    return Date.parse(`${shown.replace(' ', 'T')}Z`) - Math.floor(date.getTime() / 1000) * 1000
  } catch {
    throw new EvaluationError(`unknown time zone ${zone}`)
  }
}
