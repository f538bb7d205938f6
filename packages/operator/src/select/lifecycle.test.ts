import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkLifecycle, type DueHandler, type LifecycleName, turnOf } from './lifecycle.ts'

const due: readonly DueHandler[] = [
  { id: 'a', attempts: 2 },
  { id: 'b', attempts: 0 },
  { id: 'c', attempts: 0 },
]
const half = () => 0.5

describe('a lifecycle', () => {
  it('chooses all in the order of declaration, or the first of them', () => {
    expect(turnOf('allAtOnce', due, half)).toEqual(['a', 'b', 'c'])
    expect(turnOf('oneByOne', due, half)).toEqual(['a'])
  })

  it('chooses the one with the fewest attempts, and of several the one that was declared first', () => {
    expect(turnOf('asap', due, half)).toEqual(['b'])
  })

  it('chooses by chance one of them, or their order', () => {
    expect(turnOf('randomized', due, () => 0)).toEqual(['a'])
    expect(turnOf('randomized', due, () => 0.99)).toEqual(['c'])
    expect([...turnOf('shuffled', due, half)].sort()).toEqual(['a', 'b', 'c'])
  })

  it('gives every order a chance', () => {
    let state = 1
    const random = () => {
      state = (state * 16807) % 2147483647
      return state / 2147483647
    }
    const orders = new Set(Array.from({ length: 200 }, () => turnOf('shuffled', due, random).join('')))
    expect(orders.size).toBe(6)
  })

  it('may be a function, whose choice is kept to what is due, each once', () => {
    const [a, b] = due
    const choose = () => [b, a, b, { id: 'stranger', attempts: 0 }] as readonly DueHandler[]
    expect(turnOf(choose, due, half)).toEqual(['b', 'a'])
  })

  it('that chooses nobody is an error which says so, since it would be asked for ever', () => {
    expect(() => turnOf(() => [], due, half)).toThrow('has chosen none of the handlers that are due: a, b, c')
  })

  it('is asked nothing when nobody is due', () => {
    const never = () => {
      throw new Error('asked')
    }
    expect(turnOf(never, [], half)).toEqual([])
  })

  it('that does not exist is refused', () => {
    expect(() => checkLifecycle('oneByTwo' as LifecycleName)).toThrow('is none of allAtOnce, oneByOne')
    expect(() => checkLifecycle('asap')).not.toThrow()
  })

  it('always chooses some of those that are due, and nobody else', () => {
    const names = fc.constantFrom<LifecycleName>('allAtOnce', 'oneByOne', 'shuffled', 'randomized', 'asap')
    const handlers = fc.uniqueArray(fc.record({ id: fc.string(), attempts: fc.nat(9) }), { selector: ({ id }) => id })
    fc.assert(
      fc.property(names, handlers, fc.double({ min: 0, max: 0.999, noNaN: true }), (name, all, chance) => {
        const ids = turnOf(name, all, () => chance)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.every((id) => all.some((handler) => handler.id === id))).toBe(true)
        expect(ids.length > 0 || all.length === 0).toBe(true)
        if (name === 'allAtOnce' || name === 'shuffled') expect(ids.length).toBe(all.length)
        else expect(ids.length).toBeLessThanOrEqual(1)
      }),
    )
  })
})
