import type { Client } from '@binnacle/client'
import { VirtualClock } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { kex, logbook, noEvents, runtime, served } from '../../test/sample.ts'
import { daemonHandler } from '../declare/daemon.ts'
import type { Stopped } from '../declare/stopped.ts'
import { timerHandler } from '../declare/timer.ts'
import { Memories } from '../intake/memory.ts'
import type { Observer } from '../report/observer.ts'
import { reportingTo } from '../report/reporter.ts'
import type { Subject } from '../select/match.ts'
import { AlarmClock } from './alarm-clock.ts'
import type { SpawnHandler } from './attempt.ts'
import { Spawner } from './spawner.ts'

/** One object, and those who accompany it. */
class Story {
  readonly clock = new VirtualClock()
  readonly alarms = new AlarmClock(this.clock)
  readonly log = logbook()
  readonly woken: string[] = []
  readonly #memory
  readonly #spawner

  constructor(background: readonly SpawnHandler[], observer: Observer = {}) {
    const { clock, alarms, log } = this
    const given = runtime(clock, log.logger)
    this.#memory = new Memories(() => ({})).notice({ ...served(), background }, kex(), true, 0)
    const { memo } = this.#memory
    const { info: resource } = served()
    this.#spawner = new Spawner({
      ...{ runtime: given, client: {} as Client, operatorName: 'hello', defaultBackoff: '60s', alarms },
      reporter: reportingTo(observer),
      surroundings: () => ({ resource, memo, shared: undefined, logger: log.logger, events: noEvents, indices: {} }),
      loggerAt: () => log.logger,
      apply: () => {
        throw new Error('Nothing is to be written')
      },
      condition: () => undefined,
      lastCall: new AbortController().signal,
      threads: { run: () => Promise.reject(new TypeError('There are no threads here')) },
      wake: (uid) => this.woken.push(uid),
      cancellationPolling: 60,
    })
  }

  static async tell(story: Story, told: (spawner: Spawner) => Promise<void>): Promise<void> {
    const end = new AbortController()
    const running = story.alarms.run(end.signal)
    story.#spawner.look(story.#memory, {} as Subject).carryOut(true)
    await told(story.#spawner)
    end.abort()
    await running
  }

  delete(spawner: Spawner): void {
    this.#memory.exists = false
    spawner.notice(this.#memory)
  }
}

describe('a timer that rests', () => {
  it('is gone with its object, and leaves no alarm behind', async () => {
    const calls: number[] = []
    const story = new Story([timerHandler('kex', [{ id: 't', interval: 10 }, () => void calls.push(1)])])
    await Story.tell(story, async (spawner) => {
      await story.clock.advance(25)
      expect([calls.length, spawner.figures.running]).toEqual([3, 1])
      story.delete(spawner)
      await story.clock.advance(1)
      expect([spawner.figures, spawner.size, story.alarms.size]).toEqual([
        { running: 0, stopping: 0, abandoned: 0 },
        0,
        0,
      ])
      expect(story.woken).toEqual(['uid-a'])
      await story.clock.advance(600)
      expect(calls).toHaveLength(3)
    })
  })

  it('is waited for when all are stopped, as is a daemon', async () => {
    const story = new Story([
      timerHandler('kex', [{ id: 't', interval: 10 }, () => {}]),
      daemonHandler('kex', [
        { id: 'd' },
        async ({ stopped }: { readonly stopped: Stopped }) => void (await stopped.wait()),
      ]),
    ])
    await Story.tell(story, async (spawner) => {
      await story.clock.advance(15)
      spawner.close('operator-exiting')
      await spawner.drain()
      await story.clock.advance(1)
      expect([spawner.figures.running, story.alarms.size]).toEqual([0, 0])
    })
  })
})

it('whoever cannot be reported cannot go on, and the others can', async () => {
  const calls: string[] = []
  const timer = (id: string) => timerHandler('kex', [{ id, interval: 10 }, () => void calls.push(id)])
  const story = new Story([timer('unlucky'), timer('lucky')], {
    run({ handler }) {
      if (handler === 'unlucky') throw new Error('no paper left')
    },
  })
  await Story.tell(story, async () => {
    await story.clock.advance(10)
    expect(calls).toEqual(['lucky', 'lucky'])
    expect(story.log.lines).toContain('error Timer "unlucky" cannot go on: no paper left')
  })
})
