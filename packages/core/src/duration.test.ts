import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { type Duration, seconds } from './duration.ts'
import { BinnacleError } from './errors.ts'

describe('a duration', () => {
  it.each<[Duration, number]>([
    [0, 0],
    [5, 5],
    [2.5, 2.5],
    ['500ms', 0.5],
    ['10s', 10],
    ['2m', 120],
    ['1h', 3600],
    ['1.5h', 5400],
    ['7d', 604_800],
    ['1h30m', 5400],
    ['2m30s', 150],
    ['1h30m15s', 5415],
    ['0s', 0],
  ])('%j is %d seconds', (duration, expected) => {
    expect(seconds(duration)).toBe(expected)
  })

  it('takes a bare number as seconds, never as milliseconds', () => {
    fc.assert(fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (n) => seconds(n) === n))
  })

  it('is exact in milliseconds', () => {
    fc.assert(fc.property(fc.nat(), (n) => seconds(`${n}ms`) === n / 1000))
  })

  it('adds up the parts of a compound', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(99), fc.nat(99), (h, m, s) => {
        expect(seconds(`${h}h${m}m${s}s`)).toBe(h * 3600 + m * 60 + s)
        expect(seconds(`${h}h${m}m`)).toBe(seconds(`${h}h`) + seconds(`${m}m`))
      }),
    )
  })

  it.each([
    ['', '""'],
    ['5', '"5"'],
    ['5 s', '"5 s"'],
    ['5 sec', '"5 sec"'],
    ['-5s', '"-5s"'],
    ['1e3s', '"1e3s"'],
    ['.5s', '".5s"'],
    ['30m1h', '"30m1h"'],
    [-1, '-1'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [5n, '5'],
    [null, 'null'],
    [undefined, 'undefined'],
    [[], '[]'],
    [{}, '{}'],
  ])('refuses %o, says what came, and shows the forms that it takes', (given, shown) => {
    const refused = () => seconds(given as Duration)
    expect(refused).toThrow(BinnacleError)
    expect(refused).toThrow(
      expect.objectContaining({
        code: 'BIN_DURATION',
        message: `${shown} is not a duration`,
        hint: expect.stringContaining("'500ms'"),
      }),
    )
  })

  it('is checked by the compiler', () => {
    expectTypeOf<'1h30m'>().toExtend<Duration>()
    expectTypeOf<'500ms'>().toExtend<Duration>()
    expectTypeOf<'5'>().not.toExtend<Duration>()
    expectTypeOf<'5 sec'>().not.toExtend<Duration>()
    expectTypeOf<'10 minutes'>().not.toExtend<Duration>()
  })
})
