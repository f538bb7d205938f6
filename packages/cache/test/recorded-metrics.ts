import type { Metrics } from '@binnacle/core'

/** Metrics that a test can read: of a counter the sum, of a gauge and a histogram the last value. */
export function recordedMetrics(): { readonly metrics: Metrics; readonly value: (name: string) => number | undefined } {
  const values = new Map<string, number>()
  const metrics: Metrics = {
    counter: (name) => ({ add: (value) => void values.set(name, (values.get(name) ?? 0) + value) }),
    gauge: (name) => ({ set: (value) => void values.set(name, value) }),
    histogram: (name) => ({ observe: (value) => void values.set(name, value) }),
  }
  return { metrics, value: (name) => values.get(name) }
}
