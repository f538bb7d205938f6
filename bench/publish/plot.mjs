/**
 * Line charts as SVG, by hand: axes with round numbers, one line for each series, a legend; readable on light and dark pages. Pure: the same data gives the
 * same text.
 */

/** @typedef {{ readonly name: string, readonly points: readonly (readonly [x: number, y: number])[] }} Line */
/**
 * @typedef {object} Chart
 * @property {string} title
 * @property {string} xLabel
 * @property {string} yLabel
 * @property {boolean} [logX] for sizes that grow by factors
 * @property {readonly Line[]} lines
 */

const WIDTH = 720
const HEIGHT = 300
const AREA = { left: 64, right: 20, top: 44, bottom: 52 }
/** Told apart by people who do not see all colours, on white and on black. */
const COLOURS = ['#2f7fd6', '#d9822b', '#2a9d74', '#b5539c']

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #444 }
  .title { font-size: 14px; font-weight: 600; fill: #222 }
  .grid { stroke: #8884; stroke-width: 1 }
  .axis { stroke: #888; stroke-width: 1 }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round }
  @media (prefers-color-scheme: dark) { text { fill: #bbb } .title { fill: #eee } }
`

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** 1, 2 or 5 times a power of ten, so that about `count` steps reach the top. @param {number} top @param {number} count */
export function roundStep(top, count) {
  const rough = Math.max(top, Number.MIN_VALUE) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  return /** @type {number} */ ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
}

/** @param {number} value */
const tick = (value) => (value >= 1000 ? value.toLocaleString('en-US') : String(Math.round(value * 1000) / 1000))

/** @param {number} value */
const at = (value) => String(Math.round(value * 10) / 10)

/** Places on the x axis, with their ticks. @param {Chart} chart */
function horizontal({ lines, logX }) {
  const values = [...new Set(lines.flatMap(({ points }) => points.map(([x]) => x)))].sort((a, b) => a - b)
  const [first = 0, last = 1] = [values[0], values.at(-1)]
  const scale = logX ? Math.log10 : (/** @type {number} */ x) => x
  const [from, to] = [logX ? scale(first) : 0, scale(last)]
  const span = to - from || 1
  const place = (/** @type {number} */ x) => AREA.left + ((scale(x) - from) / span) * (WIDTH - AREA.left - AREA.right)
  const step = roundStep(last, 8)
  const ticks = logX ? values : Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step)
  return { place, ticks }
}

/** Places on the y axis, which begins at zero: else a flat line could not be told from a steep one. @param {Chart} chart */
function vertical({ lines }) {
  const top = Math.max(...lines.flatMap(({ points }) => points.map(([, y]) => y)), 0)
  const step = roundStep(top || 1, 5)
  const ticks = Array.from({ length: Math.ceil((top || 1) / step) + 1 }, (_, i) => i * step)
  const most = ticks.at(-1) ?? 1
  const place = (/** @type {number} */ y) => HEIGHT - AREA.bottom - (y / most) * (HEIGHT - AREA.top - AREA.bottom)
  return { place, ticks }
}

/** @param {Chart} chart @returns {string} */
export function svgOf(chart) {
  const x = horizontal(chart)
  const y = vertical(chart)
  const [left, right, bottom] = [AREA.left, WIDTH - AREA.right, HEIGHT - AREA.bottom]
  const rows = y.ticks.map(
    (value) =>
      `<line class="grid" x1="${left}" x2="${right}" y1="${at(y.place(value))}" y2="${at(y.place(value))}"/>` +
      `<text x="${left - 8}" y="${at(y.place(value) + 4)}" text-anchor="end">${tick(value)}</text>`,
  )
  const columns = x.ticks.map(
    (value) =>
      `<line class="axis" x1="${at(x.place(value))}" x2="${at(x.place(value))}" y1="${bottom}" y2="${bottom + 5}"/>` +
      `<text x="${at(x.place(value))}" y="${bottom + 20}" text-anchor="middle">${tick(value)}</text>`,
  )
  const drawn = chart.lines.map(({ points }, i) => {
    const path = points.map(([px, py]) => `${at(x.place(px))},${at(y.place(py))}`).join(' ')
    const colour = COLOURS[i % COLOURS.length]
    const dots =
      points.length > 12
        ? []
        : points.map(([px, py]) => `<circle cx="${at(x.place(px))}" cy="${at(y.place(py))}" r="3" fill="${colour}"/>`)
    return `<polyline class="line" stroke="${colour}" points="${path}"/>${dots.join('')}`
  })
  const legend = chart.lines.map(
    ({ name }, i) =>
      `<rect x="${right - 150 * (chart.lines.length - i)}" y="12" width="12" height="12" fill="${COLOURS[i % COLOURS.length]}"/>` +
      `<text x="${right - 150 * (chart.lines.length - i) + 18}" y="22">${escaped(name)}</text>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(chart.title)}">`,
    `<style>${STYLE}</style>`,
    `<text class="title" x="${left}" y="22">${escaped(chart.title)}</text>`,
    ...(chart.lines.length > 1 ? legend : []),
    ...rows,
    `<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    ...columns,
    `<text x="${(left + right) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(chart.xLabel)}</text>`,
    `<text x="14" y="${AREA.top + 90}" text-anchor="middle" transform="rotate(-90 14 ${AREA.top + 90})">${escaped(chart.yLabel)}</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}
