/** What daemons and timers are measured by. Reaches are in bench/reach.json. */
import { fileURLToPath } from 'node:url'
import { kopfPython } from '../data/kopf.mjs'
import { figuresOf, startApi } from '../data/processes.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */

export const names = ['life']

const WIDGETS = 10_000
/** Seconds of rest that are measured: six rounds of all timers. What only the start had needed is given back by then, or never. */
const IDLE = 60

/** @param {string} file */
const path = (file) => fileURLToPath(new URL(file, import.meta.url))

/** @returns {Promise<Bench>} */
export async function open() {
  const python = kopfPython()
  const api = await startApi({ widgets: WIDGETS })
  const fresh = async (/** @type {string} */ command, /** @type {readonly string[]} */ args) => {
    await api.reset()
    return figuresOf(command, args)
  }
  const given = JSON.stringify({ url: api.url, widgets: WIDGETS, idle: IDLE })
  const ours = () => fresh(process.execPath, ['--expose-gc', path('binnacle.mjs'), given])
  const kopf = () =>
    fresh(/** @type {string} */ (python), [path('kopf_program.py'), api.url, String(WIDGETS), String(IDLE)])
  return {
    name: `a daemon and a timer of 10 s for each of ${WIDGETS} objects`,
    contenders: { ours, ...(python && { kopf }) },
    close: async () => api.stop(),
  }
}
