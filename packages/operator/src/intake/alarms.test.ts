import { VirtualClock } from '@binnacle/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Alarms } from './alarms.ts'

class Story implements AsyncDisposable {
  readonly clock = new VirtualClock()
  readonly rung: [string, number][] = []
  readonly alarms = new Alarms(this.clock, (key) => void this.rung.push([key, this.clock.monotonic()]))
  readonly #stop = new AbortController()
  readonly #running = this.alarms.run(this.#stop.signal)

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
    expect(this.clock.sleeping).toBe(0)
  }
}

describe('alarms that were cleared long before their time', () => {
  it('leave nothing to keep, however many there were', async () => {
    await using story = new Story()
    story.alarms.set('stays', 7200)
    for (let i = 0; i < 5000; i++) {
      story.alarms.set(`key ${i}`, 3600)
      story.alarms.clear(`key ${i}`)
    }
    expect(story.alarms.kept).toBeLessThan(100)
    await story.clock.advance(10_000)
    expect(story.rung).toEqual([['stays', 7200]])
  })
})

describe('an alarm', () => {
  it('rings once, when it falls due', async () => {
    await using story = new Story()
    story.alarms.set('a', 10)
    await story.clock.advance(9.9)
    expect(story.rung).toEqual([])
    await story.clock.advance(100)
    expect(story.rung).toEqual([['a', 10]])
    expect(story.alarms.size).toBe(0)
  })

  it('that is set again for later stays where it was', async () => {
    await using story = new Story()
    story.alarms.set('a', 10)
    story.alarms.set('a', 20)
    await story.clock.advance(100)
    expect(story.rung).toEqual([['a', 10]])
  })

  it('that is set again for earlier rings earlier, and only then', async () => {
    await using story = new Story()
    story.alarms.set('a', 20)
    await story.clock.advance(1)
    story.alarms.set('a', 5)
    await story.clock.advance(100)
    expect(story.rung).toEqual([['a', 6]])
  })

  it('that is cleared does not ring', async () => {
    await using story = new Story()
    story.alarms.set('a', 10)
    story.alarms.set('b', 10)
    story.alarms.clear('a')
    await story.clock.advance(100)
    expect(story.rung).toEqual([['b', 10]])
  })

  it('that is cleared and set anew rings when the new one says', async () => {
    await using story = new Story()
    story.alarms.set('a', 10)
    story.alarms.clear('a')
    story.alarms.set('a', 20)
    await story.clock.advance(100)
    expect(story.rung).toEqual([['a', 20]])
  })

  it('does not ring after the end', async () => {
    const story = new Story()
    story.alarms.set('a', 10)
    await story.clock.advance(1)
    await story[Symbol.asyncDispose]()
    await story.clock.advance(100)
    expect(story.rung).toEqual([])
  })
})

it('cost one sleep, however many there are', async () => {
  await using story = new Story()
  for (let n = 0; n < 100; n++) story.alarms.set(`key ${n}`, 1 + (n % 10))
  await story.clock.advance(0)
  expect(story.clock.sleeping).toBe(1)
})

it('ring each at the earliest time that was asked for since it last rang, in order, and none is lost', async () => {
  type Step = { readonly set: string; readonly after: number } | { readonly clear: string } | { readonly pass: number }
  const key = fc.constantFrom('a', 'b', 'c')
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ set: key, after: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ clear: key }),
    fc.record({ pass: fc.integer({ min: 0, max: 15 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await using story = new Story()
      const due = new Map<string, number>()
      const expected: [string, number][] = []
      let now = 0
      const pass = (seconds: number) => {
        now += seconds
        const ringing = [...due].filter(([, at]) => at <= now)
        for (const [name] of ringing) due.delete(name)
        expected.push(...ringing)
      }
      for (const one of [...steps, { pass: 50 }]) {
        if ('set' in one) {
          due.set(one.set, Math.min(due.get(one.set) ?? Number.POSITIVE_INFINITY, now + one.after))
          story.alarms.set(one.set, one.after)
        } else if ('clear' in one) {
          due.delete(one.clear)
          story.alarms.clear(one.clear)
        } else {
          pass(one.pass)
          await story.clock.advance(one.pass)
        }
        expect(story.alarms.size).toBe(due.size)
      }
      const byTime = (a: [string, number], b: [string, number]) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)
      expect([...story.rung].sort(byTime)).toEqual(expected.sort(byTime))
      expect(story.rung.map(([, at]) => at)).toEqual(story.rung.map(([, at]) => at).sort((x, y) => x - y))
    }),
    { numRuns: 60 },
  )
})
