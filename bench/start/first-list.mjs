/** Starts a program, and notes when it first lists what it works on, what it asks before, and what it holds when it rests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** @typedef {{ readonly method: string, readonly path: string, readonly watch: boolean, readonly at: number }} Asked */

const GIVE_UP_MS = 30_000
/** @param {Asked} asked */
const isOurs = ({ path }) => /\/(pods|widgets)$/.test(path)

/** @param {number} pid @param {string} key */
const megabytes = (pid, key) =>
  Math.round(Number(new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 102.4) /
  10

/** User and system, by the kernel's hundredths. @param {number} pid */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** @param {string} url @param {number} until @returns {Promise<{ list: Asked, before: number }>} */
async function waitForWatch(url, until) {
  for (;;) {
    /** @type {Asked[]} */
    const asked = await (await fetch(`${url}/asked`)).json()
    const list = asked.find((each) => isOurs(each) && !each.watch)
    const watched = asked.some((each) => isOurs(each) && each.watch)
    if (list && watched) return { list, before: asked.indexOf(list) }
    if (Date.now() > until) throw new Error(`It has not watched anything in ${GIVE_UP_MS / 1000} s`)
    await sleep(5)
  }
}

/**
 * @param {{ readonly url: string, readonly command: string, readonly args: readonly string[], readonly env: NodeJS.ProcessEnv, readonly idle: number }} given `idle`: seconds of rest
 * @returns {Promise<import('../bench.mjs').Figures>}
 */
export async function firstList({ url, command, args, env, idle }) {
  await fetch(`${url}/reset`)
  const begun = Date.now()
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: 'ignore' })
  const ended = once(child, 'exit')
  try {
    const pid = child.pid ?? 0
    const { list, before } = await waitForWatch(url, begun + GIVE_UP_MS)
    await sleep(2000)
    const cpuStartS = cpuSeconds(pid)
    await sleep(idle * 1000)
    return {
      firstListMs: list.at - begun,
      requestsBefore: before,
      cpuStartS,
      idleRssMB: megabytes(pid, 'VmRSS'),
      idleCpuPercent: ((cpuSeconds(pid) - cpuStartS) / idle) * 100,
    }
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}
