/** What every contender measures in the same way. */
import { readFileSync } from 'node:fs'
import { constants, PerformanceObserver } from 'node:perf_hooks'

const MB = 1024 * 1024
const FORCED = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED
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

/**
 * Notes the longest time in which nothing else could run: how much later than it should a timer of 5 ms was called. That includes pauses of the
 * garbage collector, whoever caused them; the longest of these is noted beside it.
 */
export function watchLoop() {
  let last = performance.now()
  let longest = 0
  let longestGc = 0
  /** Not those that `memory` asked for. @param {readonly any[]} pauses */
  const note = (pauses) => {
    for (const { duration, detail } of pauses) if (!(detail.flags & FORCED)) longestGc = Math.max(longestGc, duration)
  }
  const observer = new PerformanceObserver((list) => note(list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last - 5)
    last = now
  }, 5)
  return {
    /** Milliseconds since the last call. */
    take() {
      const now = performance.now()
      note(observer.takeRecords())
      const taken = { blocked: Math.round(Math.max(longest, now - last - 5)), gc: Math.round(longestGc) }
      longest = 0
      longestGc = 0
      last = now
      return taken
    },
    stop() {
      clearInterval(timer)
      observer.disconnect()
    },
  }
}

/** @param {object} figures */
export function print(figures) {
  console.log(JSON.stringify({ node: process.version, ...figures }))
}
