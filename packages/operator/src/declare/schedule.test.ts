import { describe, expect, it } from 'vitest'
import { scheduleOf } from './schedule.ts'

/** The next few moments after one. */
function moments(expression: string, timeZone: string | undefined, after: string, count: number): string[] {
  const schedule = scheduleOf(expression, timeZone, 't')
  const found: string[] = []
  for (let at = schedule.next(new Date(after)); at && found.length < count; at = schedule.next(at)) {
    found.push(at.toISOString().replace(':00.000Z', 'Z'))
  }
  return found
}

describe('scheduleOf', () => {
  it.each([
    ['*/5 * * * *', undefined, '2026-01-01T00:00Z', ['2026-01-01T00:05Z', '2026-01-01T00:10Z']],
    ['0 6 * * MON', undefined, '2026-01-01T00:00Z', ['2026-01-05T06:00Z', '2026-01-12T06:00Z']],
    ['0 6 * * *', 'Europe/Berlin', '2026-07-01T00:00Z', ['2026-07-01T04:00Z', '2026-07-02T04:00Z']],
    ['0 0 29 2 *', undefined, '2026-01-01T00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
    ['@hourly', undefined, '2026-01-01T00:30Z', ['2026-01-01T01:00Z', '2026-01-01T02:00Z']],
  ])('%s in %s after %s', (expression, zone, after, expected) => {
    expect(moments(expression, zone, after, 2)).toEqual(expected)
  })

  it('a moment that the change of clocks leaves out is an hour late, and one that comes twice counts once', () => {
    const spring = moments('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)
    const autumn = moments('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)
    expect(spring).toEqual(['2026-03-29T01:30Z', '2026-03-30T00:30Z'])
    expect(autumn).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z'])
  })

  it.each([
    ['every day', undefined],
    ['61 * * * *', undefined],
    ['0 0 31 2 *', undefined],
    ['* * * * *', 'Nowhere/Land'],
  ])('refuses %s in %s', (expression, zone) => {
    expect(() => scheduleOf(expression, zone, 't')).toThrow('Timer "t" has the schedule')
  })
})
