/**
 * A vitest reporter that counts, and writes what it counted, with what failed and why, to the file named by BINNACLE_TEST_COUNTS.
 * The line with the counts is printed by whoever started vitest (see vitest-run.mjs), so that nothing comes after it.
 *
 * Guarantees: whatever makes a run fail counts as at least one failure: a test, a file that cannot be loaded, a hook, an
 * error that nobody caught.
 */
import { writeFileSync } from 'node:fs'

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {{ passed: number, failed: number, skipped: string[], failures: string[] }} Counts */

/** What failed, and the beginning of why. @param {string} name @param {unknown} error */
function failure(name, error) {
  const { message = String(error) } = /** @type {Partial<Error>} */ (error ?? {})
  return [name, ...message.split('\n').slice(0, 6)].join('\n    ')
}

/** @param {Iterable<TestModule>} modules @param {readonly unknown[]} unhandled @returns {Counts} */
function count(modules, unhandled) {
  /** @type {Counts} */
  const counts = { passed: 0, failed: 0, skipped: [], failures: [] }
  /** @param {string} name @param {unknown} [error] */
  const fail = (name, error) => {
    counts.failed++
    counts.failures.push(failure(name, error))
  }
  for (const error of unhandled) fail('an error that nobody caught', error)
  for (const module of modules) {
    const before = counts.failed
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result()
      const name = `${module.relativeModuleId} > ${test.fullName}`
      if (state === 'passed') counts.passed++
      else if (state === 'failed') fail(name, errors[0])
      else counts.skipped.push(name)
    }
    // A file that does not load, or a hook outside of any test: no test failed, and yet the file did.
    if (!module.ok() && counts.failed === before) fail(module.relativeModuleId, module.errors()[0] ?? 'a hook failed')
  }
  return counts
}

/** The default export, because that is where vitest looks for a reporter. */
export default class ClosingLineReporter {
  /** @param {readonly TestModule[]} modules @param {readonly unknown[]} unhandledErrors */
  onTestRunEnd(modules, unhandledErrors) {
    const path = process.env['BINNACLE_TEST_COUNTS']
    if (path !== undefined) writeFileSync(path, JSON.stringify(count(modules, unhandledErrors)))
  }
}
