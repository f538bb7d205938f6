/** Kopf, pinned by version, in a virtual environment of its own outside of the checkout; made once, if there is a Python. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built, homeOf } from '../toolchains.mjs'

const folder = fileURLToPath(new URL('../operator/kopf', import.meta.url))

/** @returns {string | undefined} its Python; undefined, and a line that says why, if it cannot be had */
export function kopfPython() {
  const home = homeOf('operator-kopf', folder)
  /** @type {readonly import('../toolchains.mjs').Step[]} */
  const steps = [
    ['python3', ['-m', 'venv', home]],
    [join(home, 'bin', 'pip'), ['install', '--quiet', '-r', 'requirements.txt']],
  ]
  return built('Kopf', join(home, 'bin', 'kopf'), steps, folder) && join(home, 'bin', 'python')
}
