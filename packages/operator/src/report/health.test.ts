import { describe, expect, it } from 'vitest'
import { type HealthFacts, judgedHealth, type StreamHealth } from './health.ts'

const stream: StreamHealth = { resource: 'pods', state: 'watching', staleSeconds: 1, objects: 3, cache: 'mirrored' }

function facts(more: Partial<HealthFacts> = {}): HealthFacts {
  return {
    started: true,
    paused: false,
    stopped: false,
    failure: undefined,
    streams: [stream],
    gate: { open: true, listed: 0, of: 0, awaited: [] },
    scope: { awaited: [], definitions: { state: 'off' }, namespaces: { state: 'off' } },
    workers: { limit: 8, busy: 0, idle: 0, waiting: 0 },
    queue: { waiting: 0, running: 0, limit: 100, longestWait: 0, longestCycle: 0, kinds: {} },
    background: { running: 0, stopping: 0, abandoned: 0 },
    slowed: [],
    tasks: [],
    probes: {},
    failedProbes: new Map(),
    staleAfter: 140,
    ...more,
  }
}

/** live, ready, and the problems. */
function verdict(more: Partial<HealthFacts>): readonly unknown[] {
  const { live, ready, problems } = judgedHealth(facts(more))
  return [live, ready, ...problems]
}

describe('an operator', () => {
  it('that has started and hears of its kinds is live and ready, and there is nothing to say', () => {
    expect(verdict({})).toEqual([true, true])
  })

  it('that has not listed everything is live, but not ready', () => {
    const gate = { open: false, listed: 0, of: 1, awaited: [{ resource: 'pods', objects: 0 }] }
    expect(verdict({ started: false, gate })).toEqual([
      true,
      false,
      'The operator is starting.',
      'Handlers wait until these are listed: pods.',
    ])
  })

  it('whose server is away is not ready; a new process would not mend that, so it stays live', () => {
    const streams = [{ ...stream, state: 'waiting', staleSeconds: 5000, error: 'connection refused' } as const]
    expect(verdict({ streams })).toEqual([true, false, 'Nothing was heard of pods for 5000 s: connection refused'])
  })

  it('whose watch seems to go on and is silent for far too long is not live', () => {
    const streams = [{ ...stream, namespace: 'shop', staleSeconds: 701 }]
    expect(verdict({ streams })).toEqual([false, false, 'Nothing was heard of pods in namespace shop for 701 s.'])
  })

  it('that may not watch a kind is ready for the others, and says so', () => {
    const streams = [
      stream,
      { ...stream, resource: 'nodes', state: 'failed', staleSeconds: 999, error: 'forbidden' } as const,
    ]
    expect(verdict({ streams })).toEqual([true, true, 'nodes cannot be watched: forbidden'])
  })

  it('that waits for a kind is ready for the others, and says so', () => {
    const awaited = [{ resource: 'widgets', why: 'not served', users: ['greet'], hint: 'Install it.' } as const]
    const scope = { awaited, definitions: { state: 'watching' }, namespaces: { state: 'off' } } as const
    expect(verdict({ scope })).toEqual([true, true, 'widgets is not served (greet). Install it.'])
  })

  it('that has failed or stopped is not live', () => {
    expect(verdict({ failure: 'no credentials' })).toEqual([false, false, 'The operator has failed: no credentials'])
    expect(verdict({ stopped: true })).toEqual([false, false, 'The operator has stopped, or is about to.'])
  })

  it('whose probe fails is not live', () => {
    expect(verdict({ failedProbes: new Map([['db', 'no answer']]) })).toEqual([
      false,
      false,
      'Probe "db" failed: no answer',
    ])
  })

  it('that is paused stays ready, however old what it knows is', () => {
    const streams = [{ ...stream, staleSeconds: 5000 }]
    expect(verdict({ paused: true, streams })).toEqual([true, true, 'The operator is paused.'])
  })

  it('that is busy says so, and is ready all the same', () => {
    const queue = { waiting: 500, running: 5, limit: 5, longestWait: 120, longestCycle: 200, kinds: {} }
    const slowed = [{ object: 'Pod a', handlers: ['x'], waitSeconds: 60 }]
    expect(verdict({ queue, slowed })).toEqual([
      true,
      true,
      '500 objects wait, the first for 120 s, while 5 are handled (limit 5): see queueing.workerLimit.',
      'Pod a is handled because of what its own x wrote, and waits 60 s each time.',
    ])
  })
})
