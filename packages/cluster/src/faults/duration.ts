/** Seconds, or text: '500ms', '10s', '2m', '1h30m'. The same words as everywhere in Binnacle; this package shares no code. */
export type Duration = number | string

const units: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }

export function secondsOf(duration: Duration): number {
  if (typeof duration === 'number' && duration >= 0) return duration
  const parts = [...String(duration).matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)]
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== duration) {
    throw new TypeError(
      `Not a duration: ${JSON.stringify(duration)}. Write seconds, or such as '500ms', '10s', '1h30m'.`,
    )
  }
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (units[unit ?? ''] ?? 0), 0)
}
