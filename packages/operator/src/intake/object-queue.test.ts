import { VirtualClock } from '@binnacle/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ObjectQueue } from './object-queue.ts'

/** A queue whose cycles last as long as they are told to. */
class Story implements AsyncDisposable {
  readonly clock = new VirtualClock()
  readonly started: string[] = []
  readonly running = new Map<string, number>()
  most = 0
  lasts = 1
  during: (key: string) => void = () => {}
  readonly queue: ObjectQueue
  readonly #stop = new AbortController()
  readonly #alarms: Promise<void>

  constructor(limit = 100) {
    this.queue = new ObjectQueue({ limit, clock: this.clock, cycle: (key) => this.#cycle(key) })
    this.#alarms = this.queue.run(this.#stop.signal)
  }

  async #cycle(key: string): Promise<void> {
    this.started.push(key)
    this.running.set(key, (this.running.get(key) ?? 0) + 1)
    this.most = Math.max(
      this.most,
      [...this.running.values()].reduce((sum, n) => sum + n, 0),
    )
    this.during(key)
    await this.clock.sleep(this.lasts)
    this.running.set(key, (this.running.get(key) ?? 0) - 1)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#alarms
  }
}

const patient = new AbortController().signal

describe('a key', () => {
  it('is looked at once, however often it comes in one step', async () => {
    await using story = new Story()
    for (let n = 0; n < 5; n++) story.queue.add('a')
    expect(story.started).toEqual([])
    await story.clock.advance(10)
    expect(story.started).toEqual(['a'])
  })

  it('that comes while its cycle runs is looked at once more afterwards', async () => {
    await using story = new Story()
    story.queue.add('a')
    await story.clock.advance(0.5)
    for (let n = 0; n < 5; n++) story.queue.add('a')
    expect(story.started).toEqual(['a'])
    await story.clock.advance(10)
    expect(story.started).toEqual(['a', 'a'])
  })

  it('is not looked at again by an alarm from before its last cycle, but by one from within it', async () => {
    await using story = new Story()
    story.queue.addAfter('a', 5)
    story.queue.add('a')
    await story.clock.advance(20)
    expect(story.started).toEqual(['a'])
    story.during = () => {
      story.during = () => {}
      story.queue.addAfter('a', 5)
    }
    story.queue.add('a')
    await story.clock.advance(20)
    expect(story.started).toEqual(['a', 'a', 'a'])
  })

  it('waits for a place', async () => {
    await using story = new Story(2)
    for (const key of ['a', 'b', 'c', 'd']) story.queue.add(key)
    await story.clock.advance(0.5)
    expect(story.started).toEqual(['a', 'b'])
    expect(story.queue.busy).toEqual(['c', 'd', 'a', 'b'])
    await story.clock.advance(10)
    expect(story.started).toEqual(['a', 'b', 'c', 'd'])
    expect(story.queue.busy).toEqual([])
  })

  it('can come later', async () => {
    await using story = new Story()
    story.queue.addAfter('a', 10)
    await story.clock.advance(9)
    expect(story.queue.busy).toEqual([])
    await story.clock.advance(1)
    expect(story.started).toEqual(['a'])
  })

  it('comes at once after no time', async () => {
    await using story = new Story()
    story.queue.addAfter('a', 0)
    await story.clock.advance(0)
    expect(story.started).toEqual(['a'])
  })

  it('that is forgotten is not looked at, neither now nor later', async () => {
    await using story = new Story(1)
    story.queue.add('x')
    story.queue.add('a')
    story.queue.addAfter('b', 10)
    story.queue.forget('a')
    story.queue.forget('b')
    await story.clock.advance(100)
    expect(story.started).toEqual(['x'])
  })

  it('that is forgotten by its own cycle is not looked at again', async () => {
    await using story = new Story()
    story.queue.add('a')
    await story.clock.advance(0.5)
    story.queue.add('a')
    story.queue.forget('a')
    await story.clock.advance(10)
    expect(story.started).toEqual(['a'])
  })

  it('that comes back for ever does not keep others from their turn', async () => {
    await using story = new Story(1)
    story.during = (key) => {
      if (key === 'busy') story.queue.add('busy')
    }
    story.queue.add('busy')
    story.queue.add('other')
    await story.clock.advance(3)
    expect(story.started.slice(0, 3)).toEqual(['busy', 'other', 'busy'])
  })
})

describe('a drain', () => {
  it('waits for what runs, and lets nothing more begin', async () => {
    await using story = new Story(1)
    story.queue.add('a')
    story.queue.add('b')
    await story.clock.advance(0.5)
    let drained = false
    const draining = story.queue.drain(patient).then(() => {
      drained = true
    })
    story.queue.add('c')
    story.queue.addAfter('d', 5)
    await story.clock.advance(0.4)
    expect(drained).toBe(false)
    await story.clock.advance(10)
    await draining
    expect(story.started).toEqual(['a'])
  })

  it('does not wait longer than it is allowed to', async () => {
    await using story = new Story()
    story.lasts = 1000
    story.queue.add('a')
    await story.clock.advance(0.5)
    const impatient = new AbortController()
    const draining = story.queue.drain(impatient.signal)
    impatient.abort()
    await draining
    expect(story.running.get('a')).toBe(1)
    await story.clock.advance(1000)
  })

  it('of an idle queue is over at once', async () => {
    await using story = new Story()
    await story.queue.drain(patient)
  })
})

it('one cycle per key at a time, never more than the limit, and every change is seen by a cycle that began after it', async () => {
  type Step = { readonly add: string } | { readonly later: string; readonly after: number } | { readonly pass: number }
  const key = fc.constantFrom('a', 'b', 'c', 'd')
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ add: key }),
    fc.record({ later: key, after: fc.integer({ min: 1, max: 5 }) }),
    fc.record({ pass: fc.double({ min: 0, max: 3, noNaN: true }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.integer({ min: 1, max: 3 }), async (steps, limit) => {
      await using story = new Story(limit)
      const changed = new Map<string, number>()
      const seen = new Map<string, number>()
      let change = 0
      story.during = (name) => {
        expect(story.running.get(name)).toBe(1)
        seen.set(name, changed.get(name) ?? 0)
      }
      for (const one of steps) {
        if ('add' in one) {
          changed.set(one.add, ++change)
          story.queue.add(one.add)
        } else if ('later' in one) story.queue.addAfter(one.later, one.after)
        else await story.clock.advance(one.pass)
      }
      await story.clock.advance(100)
      for (const [name, last] of changed) expect(seen.get(name)).toBe(last)
      expect(story.most).toBeLessThanOrEqual(limit)
      expect(story.queue.busy).toEqual([])
    }),
    { numRuns: 60 },
  )
})

describe('places', () => {
  /** Keys such as `pods/1`, whose group stands before the slash. */
  function grouped(limits: { readonly [group: string]: number }, limit = 10) {
    const clock = new VirtualClock()
    const started: string[] = []
    const now = new Map<string, number>()
    const most = new Map<string, number>()
    const groupOf = (key: string) => key.split('/', 1)[0] ?? ''
    const queue = new ObjectQueue({
      limit,
      clock,
      groupOf,
      groupLimit: (group) => limits[group] ?? limit,
      async cycle(key) {
        const group = groupOf(key)
        started.push(key)
        now.set(group, (now.get(group) ?? 0) + 1)
        most.set(group, Math.max(most.get(group) ?? 0, now.get(group) ?? 0))
        await clock.sleep(1)
        now.set(group, (now.get(group) ?? 1) - 1)
      },
    })
    return { clock, queue, started, most }
  }

  it('are limited for each group, and a full group does not keep the others from theirs', async () => {
    const { clock, queue, started, most } = grouped({ pods: 2 })
    for (let n = 0; n < 6; n++) queue.add(`pods/${n}`)
    queue.add('nodes/1')
    await clock.advance(0)
    expect(started).toEqual(['pods/0', 'pods/1', 'nodes/1'])
    await clock.advance(10)
    expect(started).toHaveLength(7)
    expect(most.get('pods')).toBe(2)
  })

  it('go to fresh changes before the backlog of the start', async () => {
    const { clock, queue, started } = grouped({}, 1)
    for (let n = 0; n < 4; n++) queue.add(`pods/${n}`, 'backlog')
    await clock.advance(0.5)
    queue.add('pods/3', 'fresh')
    queue.add('pods/9', 'fresh')
    await clock.advance(10)
    expect(started).toEqual(['pods/0', 'pods/3', 'pods/9', 'pods/1', 'pods/2'])
  })

  it('are not given while the queue is paused, and what came meanwhile is not lost', async () => {
    const { clock, queue, started } = grouped({})
    queue.add('pods/1')
    await clock.advance(0)
    const paused = queue.pause(patient)
    queue.add('pods/1')
    queue.add('pods/2')
    await clock.advance(5)
    await paused
    expect(started).toEqual(['pods/1'])
    expect(queue.busy).toEqual([])
    queue.resume()
    await clock.advance(5)
    expect(started).toEqual(['pods/1', 'pods/2', 'pods/1'])
  })

  it('are told with how long keys have waited', async () => {
    const { clock, queue } = grouped({}, 1)
    queue.add('pods/1')
    queue.add('pods/2')
    await clock.advance(0.5)
    expect(queue.figures).toEqual({
      waiting: 1,
      running: 1,
      limit: 1,
      longestWait: 0.5,
      longestCycle: 0.5,
      groups: { pods: { waiting: 1, running: 1 } },
    })
  })
})
