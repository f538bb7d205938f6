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

interface Family {
  readonly kind: Kind
  readonly help: string
  readonly labels: readonly string[]
  readonly buckets: readonly number[]
  /** In the order in which they came. */
  readonly series: Series[]
  readonly root: Branch
}

/** Of all series of a figure, those that agree in their first labels. */
interface Branch {
  series: Series | undefined
  readonly next: Map<string, Branch>
}

/** One for each combination of labels. A counter or gauge is a sum without counts. */
interface Series {
  /** In the order of the names of the labels. */
  readonly labels: readonly string[]
  /** By bucket; empty for all but histograms. */
  readonly counts: number[]
  sum: number
  count: number
}

/**
 * Figures in memory.
 * Guarantees: asking twice for a name gives the same figure; an order that does not change; whatever labels hold, the text stays well formed;
 * memory is bounded: a series beyond the limit of its figure is dropped.
 */
export function createMetrics(): MetricsRegistry {
  const families = new Map<string, Family>()
  const family = (kind: Kind, name: string, help: string, labels: readonly string[] = [], buckets = BUCKETS) => {
    const known = families.get(name) ?? { kind, help, labels, buckets, series: [], root: branch() }
    if (known.kind !== kind) throw new TypeError(`The figure ${name} is a ${known.kind} already`)
    families.set(name, known)
    return known
  }
  return {
    counter(name, help, labels) {
      const of = family('counter', name, help, labels)
      return {
        add(value, given) {
          const series = seriesOf(of, given)
          if (series) series.sum += value
        },
      }
    },
    gauge(name, help, labels) {
      const of = family('gauge', name, help, labels)
      return {
        set(value, given) {
          const series = seriesOf(of, given)
          if (series) series.sum = value
        },
      }
    },
    histogram(name, help, labels, buckets) {
      const of = family('histogram', name, help, labels, buckets && [...buckets].sort((a, b) => a - b))
      return {
        observe(value, given) {
          const series = seriesOf(of, given)
          if (series) observe(series, of.buckets, value)
        },
      }
    },
    text: () => [...families].map(([name, each]) => familyText(name, each)).join(''),
  }
}

/**
 * The series of these labels; undefined beyond the limit. It is found label by label, so that no key has to be made: an operator counts several things for
 * each object.
 */
function seriesOf(family: Family, given: Labels | undefined): Series | undefined {
  let at = family.root
  for (const name of family.labels) {
    const value = given?.[name] ?? ''
    let next = at.next.get(value)
    if (!next) {
      if (family.series.length >= MOST_SERIES) return undefined
      next = branch()
      at.next.set(value, next)
    }
    at = next
  }
  at.series ??= addSeries(family, given)
  return at.series
}

function branch(): Branch {
  return { series: undefined, next: new Map() }
}

function addSeries({ kind, labels, buckets, series }: Family, given: Labels | undefined): Series {
  const counts = kind === 'histogram' ? buckets.map(() => 0) : []
  const added: Series = { labels: labels.map((name) => given?.[name] ?? ''), counts, sum: 0, count: 0 }
  series.push(added)
  return added
}

function observe(series: Series, buckets: readonly number[], value: number): void {
  const place = buckets.findIndex((limit) => value <= limit)
  if (place >= 0) series.counts[place] = (series.counts[place] ?? 0) + 1
  series.sum += value
  series.count++
}

function familyText(name: string, family: Family): string {
  const head = `# HELP ${name} ${escaped(family.help)}\n# TYPE ${name} ${family.kind}\n`
  const series = family.series.map((each) => {
    const labels = family.labels.map((label, i) => [label, each.labels[i] ?? ''] as const)
    return family.kind === 'histogram' ? histogramText(name, labels, family, each) : line(name, labels, each.sum)
  })
  return head + series.join('')
}

function histogramText(
  name: string,
  labels: readonly (readonly [string, string])[],
  { buckets }: Family,
  { counts, sum, count }: Series,
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
