/**
 * Workers in processes of their own, as many as there are cores.
 * @typedef {import('./worker.mjs').Job} Job
 * @typedef {import('./worker.mjs').Report} Report
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url))
const MUTATION = new URL('mutation.mjs', import.meta.url).href

/** A run is short and leaves everything behind as garbage: room for many of them spares most collections. */
const ROOM = '--max-semi-space-size=64'

/** @param {string | undefined} mutant */
function newWorker(mutant) {
  return fork(WORKER, {
    stdio: 'inherit',
    // Maps and sets of an undisturbed run survive the way.
    serialization: 'advanced',
    execArgv: mutant === undefined ? [ROOM] : [ROOM, '--import', MUTATION],
    env: { ...process.env, ...(mutant !== undefined && { BINNACLE_MUTANT: mutant }) },
  })
}

/**
 * Does all jobs, and tells of each as it ends.
 * @param {readonly Job[]} jobs
 * @param {number} cores
 * @param {(reports: readonly Report[]) => void} tell
 */
export async function shared(jobs, cores, tell) {
  let next = 0
  const work = () =>
    new Promise((resolve, reject) => {
      const worker = newWorker(undefined)
      const give = () => {
        const job = jobs[next++]
        if (job) worker.send(job)
        else worker.disconnect()
      }
      worker.on('message', (reports) => {
        tell(/** @type {readonly Report[]} */ (reports))
        give()
      })
      worker.on('exit', (code) =>
        code === 0 ? resolve(undefined) : reject(new Error(`A worker ended with code ${code}`)),
      )
      give()
    })
  await Promise.all(Array.from({ length: Math.min(cores, jobs.length) }, work))
}

/**
 * One job in a process of its own, with a mistake in the framework. Resolves to nothing if it does not come to an end in time.
 * @param {string} mutant
 * @param {Job} job
 * @param {number} seconds
 * @returns {Promise<readonly Report[] | undefined>}
 */
export function withMutant(mutant, job, seconds) {
  return new Promise((resolve, reject) => {
    const worker = newWorker(mutant)
    const timer = setTimeout(() => worker.kill('SIGKILL'), seconds * 1000)
    worker.on('message', (reports) => {
      resolve(/** @type {readonly Report[]} */ (reports))
      worker.disconnect()
    })
    worker.on('exit', (code, signal) => {
      clearTimeout(timer)
      if (signal === 'SIGKILL') resolve(undefined)
      else if (code !== 0) reject(new Error(`The worker with the mutant "${mutant}" ended with code ${code}`))
    })
    worker.send(job)
  })
}
