import { describe, expect, it } from 'vitest'
import { liveView } from './live-view.ts'

describe('a live view', () => {
  it('shows the newest state in every way of reading', () => {
    let state: object = Object.freeze({ field: 'x', list: [1] })
    const view = liveView(() => state) as { field?: string; list?: number[]; other?: string }
    expect(view.field).toBe('x')
    expect({ ...view }).toEqual({ field: 'x', list: [1] })
    state = { other: 'y' }
    expect(view.field).toBeUndefined()
    expect('other' in view).toBe(true)
    expect(Object.keys(view)).toEqual(['other'])
    expect(Object.entries(view)).toEqual([['other', 'y']])
    expect(JSON.stringify(view)).toBe('{"other":"y"}')
    expect(view).toEqual({ other: 'y' })
  })

  it('refuses to be changed, and says what to do instead', () => {
    const view = liveView(() => ({ field: 'x' })) as { field?: string }
    expect(() => {
      view.field = 'y'
    }).toThrow('write into `patch`')
    expect(() => {
      delete view.field
    }).toThrow('"field" cannot be changed')
    expect(() => Object.defineProperty(view, 'field', { value: 1 })).toThrow(TypeError)
    expect(() => Object.freeze(view)).toThrow(TypeError)
  })
})
