/** Numbers of several rounds as one, and as people read them. */

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const upper = sorted[sorted.length >> 1] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2
}

/** @param {number} number */
export function short(number) {
  if (Number.isNaN(number)) return '–'
  return Math.abs(number) >= 100 ? Math.round(number).toLocaleString('en-US') : String(Math.round(number * 100) / 100)
}

/** The median, with the least and the most where they differ. @param {readonly number[]} numbers */
export function spread(numbers) {
  if (numbers.length === 0) return '–'
  const [least, most] = [short(Math.min(...numbers)), short(Math.max(...numbers))]
  return least === most ? least : `${short(median(numbers))} (${least}–${most})`
}
