import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('those who take turns', () => {
  it('wait for the turn before theirs to end, also when one in between has given up', async () => {
    const turns = new Turns()
    const order: string[] = []
    let end = () => {}
    const first = turns.take(
      () => false,
      () =>
        new Promise<void>((resolve) => {
          order.push('first begins')
          end = () => {
            order.push('first ends')
            resolve()
          }
        }),
      undefined,
    )
    const impatient = new AbortController()
    const second = turns.take(
      () => false,
      () => void order.push('second'),
      impatient.signal,
    )
    const third = turns.take(
      () => false,
      () => void order.push('third'),
      undefined,
    )
    await settle()
    impatient.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    await settle()
    expect(order).toEqual(['first begins'])
    end()
    await Promise.all([first, third])
    expect(order).toEqual(['first begins', 'first ends', 'third'])
  })

  it('are not held up by a turn that failed', async () => {
    const turns = new Turns()
    const failing = turns.take(
      () => false,
      () => Promise.reject(new Error('broken')),
      undefined,
    )
    const next = turns.take(
      () => false,
      () => 'well',
      undefined,
    )
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('well')
  })
})
