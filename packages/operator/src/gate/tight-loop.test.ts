import { describe, expect, it } from 'vitest'
import { eased, heldBack, isSlowed, type Loop, NO_LOOP, oneMore } from './tight-loop.ts'

/** So many rounds, each as soon as it may begin. */
function rounds(count: number, from: Loop = NO_LOOP): Loop {
  let loop = from
  for (let n = 0; n < count; n++) loop = oneMore(loop, loop.until, ['greet'])
  return loop
}

describe('a tight loop', () => {
  it('is not suspected before the eleventh round in a row', () => {
    expect(heldBack(rounds(10), 0)).toBe(0)
    expect(isSlowed(rounds(10), 0)).toBe(false)
    expect(isSlowed(rounds(11), 0)).toBe(true)
  })

  it('waits twice as long in each round, up to a minute', () => {
    const waits = [11, 12, 13, 30, 1000].map((count) => {
      const loop = rounds(count)
      return heldBack(loop, loop.at)
    })
    expect(waits.map((wait) => Math.round(wait * 10) / 10)).toEqual([0.1, 0.2, 0.4, 60, 60])
  })

  it('lets changes of others pass at once', () => {
    expect(heldBack(eased(rounds(20)), 0)).toBe(0)
  })

  it('is over when nothing has happened for a while beyond its wait', () => {
    const loop = rounds(11)
    expect(isSlowed(loop, loop.until + 5)).toBe(true)
    expect(isSlowed(loop, loop.until + 6)).toBe(false)
    expect(oneMore(loop, loop.until + 6, ['greet']).rounds).toBe(1)
  })

  it('does not take rounds that come now and then for a loop', () => {
    let loop = NO_LOOP
    for (let now = 0; now < 1000; now += 10) loop = oneMore(loop, now, ['greet'])
    expect(loop.rounds).toBe(1)
  })
})
