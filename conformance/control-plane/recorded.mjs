/**
 * The processes that a directory says run in it, as far as they really do.
 *
 * Guarantees: never names a process of somebody else, although process ids are used again: the command line must carry
 * the program's name and the directory.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** @typedef {{ readonly name: string, readonly pid: number }} Recorded */

/** @param {number} pid @returns {string} empty where there is no such process */
function commandLine(pid) {
  try {
    if (existsSync('/proc/self/cmdline')) return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/**
 * @param {string} dir
 * @returns {Recorded[]} in the order of their start
 */
export function runningIn(dir) {
  const record = join(dir, 'processes.json')
  if (!existsSync(record)) return []
  /** @type {Recorded[]} */
  const list = JSON.parse(readFileSync(record, 'utf8'))
  return list.filter(({ name, pid }) => {
    const command = commandLine(pid)
    return command.includes(`/${name} `) && command.includes(`${resolve(dir)}/`)
  })
}
