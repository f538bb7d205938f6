/** What every contender measures in the same way. */
import { readFileSync } from 'node:fs'

const MB = 1024 * 1024
/** @param {number} value */
const tenths = (value) => Math.round(value * 10) / 10

/** After two collections, so that only what is held counts. */
export function memory() {
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  return { rssMB: tenths(rss / MB), heapMB: tenths(heapUsed / MB) }
}

/** The most that the process ever held. */
export function peakRssMB() {
  return tenths(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024)
}

/** Notes the longest time in which nothing else could run. */
export function watchLoop() {
  let last = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 5)
    last = now
  }, 5)
  return {
    /** Milliseconds since the last call. */
    take() {
      const now = performance.now()
      const taken = Math.max(longest, now - last - 5)
      longest = 0
      last = now
      return Math.round(taken)
    },
    stop: () => clearInterval(timer),
  }
}

/** @param {object} figures */
export function print(figures) {
  console.log(JSON.stringify({ node: process.version, ...figures }))
}
