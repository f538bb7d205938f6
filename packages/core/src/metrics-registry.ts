import type { Metrics } from './metrics.ts'

type Labels = { readonly [label: string]: string }

/** Metrics that can be read. */
export interface MetricsRegistry extends Metrics {
  /** All figures in the text format of Prometheus, version 0.0.4. */
  text(): string
}

/** Seconds, from a millisecond to ten minutes. */
const BUCKETS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600]
/** Series of one figure; whoever labels by something without an end must not take all the memory. */
const MOST_SERIES = 10_000

type Kind = 'counter' | 'gauge' | 'histogram'
interface Histogram {
  readonly counts: number[]
  sum: number
  count: number
}

interface Family {
  readonly kind: Kind
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets: readonly number[]
  readonly values: Map<string, Series>
}

interface Series {
  /** In the order of the names of the labels. */
  readonly labels: readonly string[]
  value: number | Histogram
}

/**
 * Figures in memory.
 * Guarantees: asking twice for a name gives the same figure; an order that does not change; whatever labels hold, the text stays well formed;
 * memory is bounded: a series beyond the limit of its figure is dropped.
 */
export function createMetrics(): MetricsRegistry {
  const families = new Map<string, Family>()
  const family = (kind: Kind, name: string, help: string, labels: readonly string[] = [], buckets = BUCKETS) => {
    const known = families.get(name) ?? { kind, help, labels, buckets, values: new Map() }
    if (known.kind !== kind) throw new TypeError(`The figure ${name} is a ${known.kind} already`)
    families.set(name, known)
    return known
  }
  return {
    counter(name, help, labels) {
      const of = family('counter', name, help, labels)
      return { add: (value, given) => put(of, given, (sum) => ((sum as number | undefined) ?? 0) + value) }
    },
    gauge(name, help, labels) {
      const of = family('gauge', name, help, labels)
      return { set: (value, given) => put(of, given, () => value) }
    },
    histogram(name, help, labels, buckets) {
      const of = family('histogram', name, help, labels, buckets && [...buckets].sort((a, b) => a - b))
      return { observe: (value, given) => put(of, given, (seen) => observed(of, seen as Histogram | undefined, value)) }
    },
    text: () => [...families].map(([name, each]) => familyText(name, each)).join(''),
  }
}

function put(
  { labels, values }: Family,
  given: Labels | undefined,
  next: (value: number | Histogram | undefined) => number | Histogram,
): void {
  const key = keyOf(labels, given)
  const present = values.get(key)
  if (present) present.value = next(present.value)
  else if (values.size < MOST_SERIES) {
    values.set(key, { labels: labels.map((name) => given?.[name] ?? ''), value: next(undefined) })
  }
}

/** Different for different values, whatever they hold; and cheap, since an operator counts several things for each object. */
function keyOf(labels: readonly string[], given: Labels | undefined): string {
  if (labels.length === 0 || !given) return ''
  const [only = ''] = labels
  if (labels.length === 1) return given[only] ?? ''
  let key = ''
  for (const name of labels) {
    const value = given[name] ?? ''
    key += `${value.length}:${value}`
  }
  return key
}

function observed({ buckets }: Family, seen: Histogram | undefined, value: number): Histogram {
  const histogram = seen ?? { counts: buckets.map(() => 0), sum: 0, count: 0 }
  const place = buckets.findIndex((limit) => value <= limit)
  if (place >= 0) histogram.counts[place] = (histogram.counts[place] ?? 0) + 1
  histogram.sum += value
  histogram.count++
  return histogram
}

function familyText(name: string, family: Family): string {
  const head = `# HELP ${name} ${escaped(family.help)}\n# TYPE ${name} ${family.kind}\n`
  const series = Array.from(family.values.values(), ({ labels: values, value }) => {
    const labels = family.labels.map((label, i) => [label, values[i] ?? ''] as const)
    return typeof value === 'number' ? line(name, labels, value) : histogramText(name, labels, family, value)
  })
  return head + series.join('')
}

function histogramText(
  name: string,
  labels: readonly (readonly [string, string])[],
  { buckets }: Family,
  { counts, sum, count }: Histogram,
): string {
  let below = 0
  const lines = buckets.map((limit, i) => {
    below += counts[i] ?? 0
    return line(`${name}_bucket`, [...labels, ['le', String(limit)]], below)
  })
  const last = line(`${name}_bucket`, [...labels, ['le', '+Inf']], count)
  return [...lines, last, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)].join('')
}

function line(name: string, labels: readonly (readonly [string, string])[], value: number): string {
  const pairs = labels.map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${number(value)}\n`
}

function number(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
