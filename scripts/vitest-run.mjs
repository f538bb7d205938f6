/**
 * Runs vitest in a process of its own and says how many tests passed and failed.
 *
 * Guarantees: a run that did not execute a single test, that skipped one, or that died before it could count, is a failure.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @typedef {import('./closing-line-reporter.mjs').Counts} Counts */

/** @param {string} path @returns {Counts | undefined} */
function readCounts(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * @param {Counts | undefined} counts @param {number} code vitest's exit code
 * @param {boolean} [narrowed] some tests were chosen by name, so that the others were left out on purpose
 * @returns {{ counts: Counts, complaint: string | undefined }} what to report, and a sentence where the run itself went wrong
 */
export function verdict(counts, code, narrowed = false) {
  if (counts === undefined) {
    return {
      counts: { passed: 0, failed: 1, skipped: [], failures: [] },
      complaint: `vitest ended with code ${code} before it had counted its tests.`,
    }
  }
  if (counts.passed + counts.failed === 0) {
    return {
      counts: { ...counts, failed: 1 },
      complaint: 'No test was executed, and a run without tests proves nothing.',
    }
  }
  if (counts.skipped.length > 0 && counts.failed === 0 && !narrowed) {
    const names = counts.skipped.map((name) => `\n  ${name}`).join('')
    return {
      counts: { ...counts, failed: counts.skipped.length },
      complaint: `Tests were skipped, and a skipped test proves nothing: remove it, or let its file end in .real.test.ts.${names}`,
    }
  }
  if (code !== 0 && counts.failed === 0) {
    return { counts: { ...counts, failed: 1 }, complaint: `vitest ended with code ${code} although no test failed.` }
  }
  return { counts, complaint: undefined }
}

/** @param {{ readonly passed: number, readonly failed: number }} counts */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`

/**
 * What failed, and why, once more: a long run has scrolled it away, and a log may be kept by its end alone.
 * @param {Counts} counts @param {string} [where]
 */
export function showFailures({ failures }, where = '') {
  for (const text of failures) console.log(`\nFAILED${where && ` on ${where}`}: ${text}`)
}

/**
 * @param {readonly string[]} args for vitest: filters and options
 * @param {NodeJS.ProcessEnv} env added to that of this process; undefined takes a variable away
 * @param {{ readonly cwd?: string }} [options]
 * @returns {Promise<Counts>}
 */
export async function runVitest(args, env, { cwd = root } = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'binnacle-test-'))
  const countsFile = join(dir, 'counts.json')
  const remove = () => rmSync(dir, { recursive: true, force: true })
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/closing-line-reporter.mjs')}`]
  const child = spawn(process.execPath, [vitest, 'run', ...reporters, ...args], {
    cwd,
    env: { ...process.env, ...env, BINNACLE_TEST_COUNTS: countsFile },
    stdio: 'inherit',
  })
  const stop = () => child.kill()
  process.once('exit', stop)
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => resolve(status ?? 1))
    })
    const { counts, complaint } = verdict(
      readCounts(countsFile),
      code,
      args.some((arg) => /^(-t|--testNamePattern)/.test(arg)),
    )
    if (complaint !== undefined) console.error(complaint)
    return counts
  } finally {
    process.removeListener('exit', stop)
    remove()
  }
}
