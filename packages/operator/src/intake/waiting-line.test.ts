import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Lane, WaitingLine } from './waiting-line.ts'

const room = () => true

function order(line: WaitingLine): string {
  const keys: string[] = []
  for (let next = line.take(room); next; next = line.take(room)) keys.push(next.key)
  return keys.join('')
}

describe('in a waiting line', () => {
  it('fresh changes go before what fell due, and that before the backlog', () => {
    const line = new WaitingLine()
    line.add('a', '', 'backlog', 0)
    line.add('b', '', 'due', 1)
    line.add('c', '', 'fresh', 2)
    expect(order(line)).toBe('cba')
  })

  it('a key waits once, and moves up when it gets a better reason', () => {
    const line = new WaitingLine()
    line.add('a', '', 'backlog', 0)
    line.add('b', '', 'backlog', 0)
    line.add('b', '', 'fresh', 5)
    line.add('b', '', 'backlog', 6)
    expect(line.size).toBe(2)
    expect(order(line)).toBe('ba')
  })

  it('one of eight is whoever has waited longest, so that a stream of changes starves nobody', () => {
    const line = new WaitingLine()
    line.add('old', '', 'backlog', 0)
    const taken: string[] = []
    for (let n = 0; n < 10; n++) {
      line.add(`change ${n}`, '', 'fresh', n)
      taken.push(line.take(room)?.key ?? '')
    }
    expect(taken.indexOf('old')).toBe(7)
  })

  it('a group without room is passed over', () => {
    const line = new WaitingLine()
    line.add('a', 'full', 'fresh', 0)
    line.add('b', 'other', 'backlog', 0)
    expect(line.take((group) => group !== 'full')?.key).toBe('b')
    expect(line.take((group) => group !== 'full')).toBeUndefined()
    expect([line.size, line.sizeOf('full')]).toEqual([1, 1])
  })

  it('nobody is lost, doubled or invented, whatever comes and goes', () => {
    const lane = fc.constantFrom<Lane>('fresh', 'due', 'backlog')
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), lane }),
      fc.record({ do: fc.constant('delete' as const), key: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
      fc.record({ do: fc.constant('take' as const), full: fc.constantFrom('x', 'y', 'none') }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const line = new WaitingLine()
        const model = new Set<string>()
        const groupOf = (key: string) => (key < 'c' ? 'x' : 'y')
        for (const [now, each] of steps.entries()) {
          if (each.do === 'add') line.add(each.key, groupOf(each.key), each.lane, now)
          if (each.do === 'add') model.add(each.key)
          if (each.do === 'delete') line.delete(each.key)
          if (each.do === 'delete') model.delete(each.key)
          if (each.do === 'take') {
            const taken = line.take((group) => group !== each.full)
            const possible = [...model].filter((key) => groupOf(key) !== each.full)
            expect(taken === undefined).toBe(possible.length === 0)
            if (taken) expect(model.delete(taken.key)).toBe(true)
          }
          expect([...line.keys()].sort()).toEqual([...model].sort())
          expect(line.sizeOf('x') + line.sizeOf('y')).toBe(model.size)
        }
      }),
    )
  })
})
