/** The drawings of docs/benchmarks, by file, from the results. */
import { median } from '../statistics.mjs'
import { svgOf } from './plot.mjs'

/** @typedef {import('../results.mjs').Result} Result */

const AT = / per object at ([\d,]+)$/

/** @param {Result} result @param {string} unit @returns {import('./plot.mjs').Line[]} the median of what one object costs, by contender and size */
export function growthLines({ rounds }, unit) {
  return Object.entries(rounds).map(([name, of]) => {
    const figures = [...new Set(of.flatMap((round) => Object.keys(round)))].filter(
      (figure) => figure.startsWith(`${unit} per object at`) && AT.test(figure),
    )
    const points = figures.map((figure) => {
      const size = Number(AT.exec(figure)?.[1]?.replaceAll(',', ''))
      const values = of.map((round) => round[figure]).filter((value) => typeof value === 'number')
      return /** @type {const} */ ([size, median(values)])
    })
    return { name, points: points.sort(([a], [b]) => a - b) }
  })
}

/** @param {Result} result @param {string} unit @param {string} title */
const growthChart = (result, unit, title) =>
  svgOf({ title, xLabel: 'objects', yLabel: `${unit} per object`, logX: true, lines: growthLines(result, unit) })

/** @param {Result} result @param {string} name @param {string} title @param {string} yLabel */
function soakChart({ rounds }, name, title, yLabel) {
  const { series } = /** @type {{ series?: Record<string, number[]> }} */ (rounds['ours']?.[0] ?? {})
  const points = (series?.['seconds'] ?? []).map((x, i) => /** @type {const} */ ([x, series?.[name]?.[i] ?? 0]))
  return svgOf({ title, xLabel: 'seconds', yLabel, lines: [{ name, points }] })
}

/** What is drawn, by file; `bench` is whose results it takes. */
const CHARTS = {
  'growth-sync-time.svg': {
    bench: 'growth sync',
    draw: (/** @type {Result} */ of) => growthChart(of, 'µs', 'First list: time for one object'),
  },
  'growth-sync-memory.svg': {
    bench: 'growth sync',
    draw: (/** @type {Result} */ of) => growthChart(of, 'KB', 'First list: heap for one object'),
  },
  'growth-operator-time.svg': {
    bench: 'growth operator',
    draw: (/** @type {Result} */ of) => growthChart(of, 'ms', 'Operator: time for one object'),
  },
  'growth-operator-memory.svg': {
    bench: 'growth operator',
    draw: (/** @type {Result} */ of) => growthChart(of, 'KB', 'Operator: peak memory for one object'),
  },
  'soak-heap.svg': {
    bench: 'soak churn',
    draw: (/** @type {Result} */ of) => soakChart(of, 'heapMB', 'Heap after a collection', 'MB'),
  },
  'soak-sockets.svg': {
    bench: 'soak churn',
    draw: (/** @type {Result} */ of) => soakChart(of, 'sockets', 'Open sockets', 'sockets'),
  },
  'soak-timers.svg': {
    bench: 'soak churn',
    draw: (/** @type {Result} */ of) => soakChart(of, 'timers', 'Timers', 'timers'),
  },
  'soak-lag.svg': {
    bench: 'soak churn',
    draw: (/** @type {Result} */ of) => soakChart(of, 'lagMs', 'Lag of the event loop, 99th percentile', 'ms'),
  },
}

/** @param {ReadonlyMap<string, Result>} results @returns {Record<string, string>} */
export function chartsOf(results) {
  const drawn = Object.entries(CHARTS).map(([file, { bench, draw }]) => {
    const result = results.get(bench)
    return result ? [file, draw(result)] : undefined
  })
  return Object.fromEntries(drawn.filter((each) => each !== undefined))
}
