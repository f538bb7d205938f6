/** What types cost a user's compiler: counts, the same on every machine. Reaches are in bench/reach.json. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const names = ['handlers']

const root = fileURLToPath(new URL('../../', import.meta.url))
const sample = fileURLToPath(new URL('operator.ts', import.meta.url))

/** @param {readonly string[]} files @returns {Promise<{ instantiations: number, types: number, ms: number }>} */
async function compiled(files) {
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ]
  const args = ['node_modules/typescript/bin/tsc', '--extendedDiagnostics', '--ignoreConfig', ...flags, ...files]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  const figure = (/** @type {string} */ name) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1])
  return { instantiations: figure('Instantiations'), types: figure('Types'), ms: figure('Check time') * 1000 }
}

/** @returns {Promise<import('../bench.mjs').Bench>} */
export async function open() {
  return {
    name: 'an operator of six handlers, checked by TypeScript',
    contenders: { ours: () => compiled([sample]) },
    rounds: 1,
    close: async () => {},
  }
}
