import { BinnacleError } from './errors.ts'

type Unit = 'ms' | 's' | 'm' | 'h' | 'd'

/**
 * A length of time: a bare number is seconds, never milliseconds; a string carries its unit:
 * `'500ms'`, `'10s'`, `'2m'`, `'1.5h'`, `'7d'`, and the compounds `'1h30m'`, `'2m30s'`, `'1h30m15s'`.
 */
export type Duration =
  | number
  | `${number}${Unit}`
  | `${number}h${number}m`
  | `${number}m${number}s`
  | `${number}h${number}m${number}s`

const SECONDS_PER_UNIT = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const NUMBER = String.raw`\d+(?:\.\d+)?`
const SINGLE = new RegExp(`^(${NUMBER})(ms|s|m|h|d)$`)
const COMPOUND = new RegExp(`^(?:(${NUMBER})h)?(?:(${NUMBER})m)?(?:(${NUMBER})s)?$`)

/** Seconds of a duration. Throws an error that shows the accepted forms; negative lengths are refused. */
export function seconds(duration: Duration): number {
  const length = typeof duration === 'number' ? duration : parse(duration)
  if (length === undefined || !Number.isFinite(length) || length < 0) throw refusal(duration)
  return length
}

function parse(text: unknown): number | undefined {
  if (typeof text !== 'string' || text === '') return undefined
  const [, length, unit] = SINGLE.exec(text) ?? []
  if (unit !== undefined) return inSeconds(Number(length), unit as Unit)
  const compound = COMPOUND.exec(text)
  if (!compound) return undefined
  const [, hours = '0', minutes = '0', rest = '0'] = compound
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)
}

function inSeconds(length: number, unit: Unit): number {
  // Divided, not multiplied by 0.001, which no binary fraction is: '1001ms' is 1.001 and not a little less.
  return unit === 'ms' ? length / 1000 : length * SECONDS_PER_UNIT[unit]
}

function refusal(duration: unknown): BinnacleError {
  const shown =
    typeof duration === 'string' || typeof duration === 'object' ? JSON.stringify(duration) : String(duration)
  return new BinnacleError('BIN_DURATION', {
    message: `${shown} is not a duration`,
    hint: "Give seconds as a number that is not negative (5), or a string with a unit: '500ms', '5s', '2m', '1.5h', '7d', '1h30m'.",
  })
}
