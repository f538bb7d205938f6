import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { abortable, aborted, linkedController } from './abort.ts'

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length
const reason = new Error('enough')

describe('abortable', () => {
  it('gives the value of the promise, and leaves no listener behind', async () => {
    const { signal } = new AbortController()
    const waiting = abortable(Promise.resolve(5), signal)
    expect(listeners(signal)).toBe(1)
    expect(await waiting).toBe(5)
    expect(listeners(signal)).toBe(0)
  })

  it('fails as the promise does, and leaves no listener behind', async () => {
    const { signal } = new AbortController()
    await expect(abortable(Promise.reject(new Error('boom')), signal)).rejects.toThrow('boom')
    expect(listeners(signal)).toBe(0)
  })

  it('fails with the reason of the signal when that comes first, and leaves no listener behind', async () => {
    const controller = new AbortController()
    const waiting = abortable(new Promise(() => {}), controller.signal)
    controller.abort(reason)
    await expect(waiting).rejects.toBe(reason)
    expect(listeners(controller.signal)).toBe(0)
  })

  it('fails at once on a signal that is aborted already', async () => {
    await expect(abortable(new Promise(() => {}), AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('takes care of a promise that fails after it has been given up', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    const later = () => new Promise((_, reject) => setImmediate(() => reject(new Error('too late'))))
    const controller = new AbortController()
    const given = abortable(later(), controller.signal)
    controller.abort(reason)
    await expect(given).rejects.toBe(reason)
    await expect(abortable(later(), AbortSignal.abort(reason))).rejects.toBe(reason)
    await new Promise((resolve) => setTimeout(resolve, 10))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it('is the promise alone without a signal', async () => {
    expect(await abortable(Promise.resolve(5), undefined)).toBe(5)
  })
})

describe('aborted', () => {
  it('resolves when the signal aborts, and leaves no listener behind', async () => {
    const controller = new AbortController()
    const waiting = aborted(controller.signal)
    controller.abort()
    await waiting
    expect(listeners(controller.signal)).toBe(0)
    await aborted(controller.signal)
  })
})

describe('a linked controller', () => {
  it('aborts with the reason of the parent that aborts first', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    const child = linkedController(a.signal, undefined, b.signal)
    expect(child.signal.aborted).toBe(false)
    b.abort(reason)
    a.abort('later')
    expect(child.signal.reason).toBe(reason)
  })

  it('lets go of all parents when one of them aborts', () => {
    const [a, b] = [new AbortController(), new AbortController()]
    linkedController(a.signal, b.signal)
    expect([listeners(a.signal), listeners(b.signal)]).toEqual([1, 1])
    b.abort()
    expect([listeners(a.signal), listeners(b.signal)]).toEqual([0, 0])
  })

  it('lets go of all parents when it is aborted itself, and does not abort them', () => {
    const parent = new AbortController()
    const child = linkedController(parent.signal)
    child.abort(reason)
    expect(child.signal.reason).toBe(reason)
    expect([listeners(parent.signal), parent.signal.aborted]).toEqual([0, false])
  })

  it('lets go of all parents when it is disposed of, and is then deaf to them', () => {
    const parent = new AbortController()
    const child = linkedController(parent.signal)
    child[Symbol.dispose]()
    parent.abort()
    expect(child.signal.aborted).toBe(false)
    expect(listeners(parent.signal)).toBe(0)
  })

  it('shares one listener on a parent with all others that are linked to it, and none of them misses its end', () => {
    const parent = new AbortController()
    const children = Array.from({ length: 50 }, () => linkedController(parent.signal))
    expect(listeners(parent.signal)).toBe(1)
    children[7]?.abort('by itself')
    children[8]?.[Symbol.dispose]()
    parent.abort(reason)
    const reasons = children.map(({ signal }) => signal.reason as unknown)
    expect(
      reasons
        .slice(0, 7)
        .concat(reasons.slice(9))
        .every((each) => each === reason),
    ).toBe(true)
    expect([reasons[7], reasons[8]]).toEqual(['by itself', undefined])
    expect(listeners(parent.signal)).toBe(0)
  })

  it('holds on to no parent when one is aborted from the beginning', () => {
    const { signal } = new AbortController()
    const child = linkedController(signal, AbortSignal.abort(reason))
    expect(child.signal.reason).toBe(reason)
    expect(listeners(signal)).toBe(0)
  })

  it('leaves nothing on a parent that outlives a thousand children', () => {
    const { signal } = new AbortController()
    for (let i = 0; i < 1000; i++) {
      using _child = linkedController(signal)
    }
    expect(listeners(signal)).toBe(0)
  })
})
