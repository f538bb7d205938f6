/**
 * One at a time, across processes: whoever comes second waits.
 *
 * Guarantees: at most one holder at a time among processes on one machine; a holder that died without a word is replaced
 * after STALE_MS. The lock is a file whose age is its heartbeat, because a process id means nothing in another container.
 * Does not guarantee: any order among those who wait.
 */
import { closeSync, mkdirSync, openSync, rmdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const HEARTBEAT_MS = 1_000
const STALE_MS = 15_000
const ASK_EVERY_MS = 200

/** @param {unknown} error @param {string} code */
const isCode = (error, code) => error instanceof Error && 'code' in error && error.code === code

/** @param {string} path @returns {boolean} whether it is ours now */
function take(path) {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false
    throw error
  }
}

/** @param {string} path @returns {number} how long ago it showed life, in milliseconds; 0 where it is gone */
function silence(path) {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return modified === undefined ? 0 : Date.now() - modified
}

/** @param {string} path */
function showLife(path) {
  try {
    utimesSync(path, new Date(), new Date())
  } catch {
    // Somebody deleted the file by hand; the work goes on, and its end finds nothing to remove.
  }
}

/**
 * Removes a lock whose holder is gone. Under a second lock, so that nobody removes the one that another has just taken.
 * @param {string} path @param {number} staleMs
 */
function removeStale(path, staleMs) {
  const removal = `${path}.removal`
  try {
    mkdirSync(removal)
  } catch {
    if (silence(removal) > staleMs) rmdirSync(removal)
    return
  }
  if (silence(path) > staleMs) rmSync(path, { force: true })
  rmdirSync(removal)
}

/**
 * @template T
 * @param {string} path of the lock
 * @param {() => Promise<T>} work
 * @param {object} [options]
 * @param {() => void} [options.onWait] called once if somebody else has it
 * @param {number} [options.staleMs] silence after which a holder counts as dead
 * @returns {Promise<T>}
 */
export async function withLock(path, work, { onWait = () => {}, staleMs = STALE_MS } = {}) {
  mkdirSync(dirname(path), { recursive: true })
  for (let waited = false; !take(path); waited = true) {
    if (!waited) onWait()
    removeStale(path, staleMs)
    await wait(ASK_EVERY_MS)
  }
  const release = () => rmSync(path, { force: true })
  const heartbeat = setInterval(() => showLife(path), HEARTBEAT_MS)
  process.once('exit', release)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    process.removeListener('exit', release)
    release()
  }
}
