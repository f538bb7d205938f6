import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FirstInLine } from './first-in-line.ts'

const step = fc.record({ act: fc.constantFrom('add', 'delete', 'look'), key: fc.constantFrom('a', 'b', 'c', 'd') })

it('has the keys in the order in which they came, whoever left and came again meanwhile', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const line = new FirstInLine()
      const model = new Set<string>()
      for (const { act, key } of steps) {
        if (act === 'add') {
          line.add(key)
          model.add(key)
        }
        if (act === 'delete') {
          line.delete(key)
          model.delete(key)
        }
        // Also not to look is a history: who is first is remembered from look to look.
        if (act === 'look') expect(line.first).toBe([...model][0])
        expect(line.size).toBe(model.size)
      }
      expect(line.first).toBe([...model][0])
    }),
  )
})
