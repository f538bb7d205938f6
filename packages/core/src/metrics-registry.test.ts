import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMetrics } from './metrics-registry.ts'

describe('a registry of figures', () => {
  it('prints counters, gauges and histograms as Prometheus reads them', () => {
    const metrics = createMetrics()
    const runs = metrics.counter('runs_total', 'Calls of handlers', ['handler'])
    runs.add(1, { handler: 'greet' })
    runs.add(2, { handler: 'greet' })
    metrics.gauge('depth', 'Objects that wait').set(7)
    const time = metrics.histogram('time_seconds', 'How long', ['kind'], [1, 0.1])
    time.observe(0.05, { kind: 'pods' })
    time.observe(5, { kind: 'pods' })
    expect(metrics.text()).toBe(
      [
        '# HELP runs_total Calls of handlers',
        '# TYPE runs_total counter',
        'runs_total{handler="greet"} 3',
        '# HELP depth Objects that wait',
        '# TYPE depth gauge',
        'depth 7',
        '# HELP time_seconds How long',
        '# TYPE time_seconds histogram',
        'time_seconds_bucket{kind="pods",le="0.1"} 1',
        'time_seconds_bucket{kind="pods",le="1"} 1',
        'time_seconds_bucket{kind="pods",le="+Inf"} 2',
        'time_seconds_sum{kind="pods"} 5.05',
        'time_seconds_count{kind="pods"} 2',
        '',
      ].join('\n'),
    )
  })

  it('gives the same figure for the same name, and refuses another one', () => {
    const metrics = createMetrics()
    metrics.counter('a_total', 'A').add(1)
    metrics.counter('a_total', 'A').add(1)
    expect(metrics.text()).toContain('a_total 2\n')
    expect(() => metrics.gauge('a_total', 'A')).toThrow('is a counter already')
  })

  it('stays well formed, whatever labels hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const metrics = createMetrics()
        metrics.counter('a_total', 'A', ['x']).add(1, { x: text })
        const lines = metrics.text().split('\n')
        expect(lines).toHaveLength(4)
        expect(lines[2]).toMatch(/^a_total\{x="([^"\\\n]|\\["\\n])*"\} 1$/u)
      }),
    )
  })

  it('keeps series apart, whatever their labels hold, and in the order in which they came', () => {
    const metrics = createMetrics()
    const runs = metrics.counter('runs_total', 'Calls', ['a', 'b'])
    const given = [{ a: '12', b: '3' }, { a: '1', b: '23' }, { a: '12', b: '' }, { a: '12' }, { a: '12', b: '3' }]
    for (const labels of given) runs.add(1, labels)
    expect(metrics.text().split('\n').slice(2, -1)).toEqual([
      'runs_total{a="12",b="3"} 2',
      'runs_total{a="1",b="23"} 1',
      'runs_total{a="12",b=""} 2',
    ])
  })

  it('keeps a bounded number of series, whoever labels them', () => {
    const metrics = createMetrics()
    const gauge = metrics.gauge('a', 'A', ['x'])
    for (let n = 0; n < 10_100; n++) gauge.set(n, { x: String(n) })
    expect(metrics.text().split('\n')).toHaveLength(10_003)
  })
})
