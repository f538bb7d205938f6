/**
 * What indices are measured by. `growth` is the time for each pod, of four times as many; `heapKBPerObject` all that is there, with what the functions
 * return: the names of two keys and two values. Reaches are in bench/reach.json.
 */
import { fileURLToPath } from 'node:url'
import { kopfPython } from '../data/kopf.mjs'
import { figuresOf, startApi } from '../data/processes.mjs'

/** @typedef {import('../bench.mjs').Bench} Bench */

export const names = ['fill']

const MANY = 50_000
const FEW = 12_500
/** More would take minutes: Kopf's time grows with the square. */
const FOR_KOPF = 2_000

/** @param {string} file */
const path = (file) => fileURLToPath(new URL(file, import.meta.url))

/** @returns {Promise<Bench>} */
export async function open() {
  const python = kopfPython()
  const many = await startApi({ pods: MANY })
  const few = await startApi({ pods: FEW })
  const forKopf = await startApi({ pods: FOR_KOPF })
  const binnacle = (/** @type {string} */ url) =>
    figuresOf(process.execPath, ['--expose-gc', path('binnacle.mjs'), JSON.stringify({ url })])
  const ours = async () => {
    const small = await binnacle(few.url)
    const large = await binnacle(many.url)
    return { ...large, growth: (large['indexedMs'] ?? 0) / MANY / ((small['indexedMs'] ?? 0) / FEW) }
  }
  const kopf = () => figuresOf(/** @type {string} */ (python), [path('kopf_program.py'), forKopf.url, String(FOR_KOPF)])
  return {
    name: `two indices over ${MANY} pods of 5 KB, beside ${FOR_KOPF} of them in Kopf`,
    contenders: { ours, ...(python && { kopf }) },
    close: async () => {
      for (const server of [many, few, forKopf]) server.stop()
    },
  }
}
