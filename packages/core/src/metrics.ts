export interface Counter {
  add(value: number, labels?: { readonly [label: string]: string }): void
}
export interface Gauge {
  set(value: number, labels?: { readonly [label: string]: string }): void
}
export interface Histogram {
  observe(value: number, labels?: { readonly [label: string]: string }): void
}
/** Where figures go. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter
  gauge(name: string, help: string, labels?: readonly string[]): Gauge
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram
}

/** Figures that nobody reads. */
export const noMetrics: Metrics = {
  counter: () => ({ add() {} }),
  gauge: () => ({ set() {} }),
  histogram: () => ({ observe() {} }),
}
