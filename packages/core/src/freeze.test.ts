import { describe, expect, it } from 'vitest'
import { deepFreeze } from './freeze.ts'

describe('deepFreeze', () => {
  it('freezes all the way down, and returns what it was given', () => {
    const pod = { spec: { containers: [{ name: 'web' }] } }
    expect(deepFreeze(pod)).toBe(pod)
    expect(() => {
      pod.spec.containers.push({ name: 'more' })
    }).toThrow(TypeError)
    expect(() => {
      for (const container of pod.spec.containers) container.name = 'other'
    }).toThrow(TypeError)
  })

  it('takes what is frozen for frozen all the way down, and does not look into it again', () => {
    const inner = { list: [1] }
    deepFreeze(Object.freeze({ inner }))
    expect(Object.isFrozen(inner)).toBe(false)
  })

  it('leaves values alone', () => {
    for (const value of [1, 'x', null, undefined]) expect(deepFreeze(value)).toBe(value)
  })
})
