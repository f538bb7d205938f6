/**
 * A vitest reporter that counts, and writes what it counted to the file named by BINNACLE_TEST_COUNTS.
 * The line with the counts is printed by whoever started vitest (see vitest-run.mjs), so that nothing comes after it.
 *
 * Guarantees: whatever makes a run fail counts as at least one failure: a test, a file that cannot be loaded, a hook, an
 * error that nobody caught.
 */
import { writeFileSync } from 'node:fs'

/** @typedef {import('vitest/node').TestModule} TestModule */
/** @typedef {{ passed: number, failed: number, skipped: string[] }} Counts */

/** @param {Iterable<TestModule>} modules @param {number} unhandled @returns {Counts} */
function count(modules, unhandled) {
  /** @type {Counts} */
  const counts = { passed: 0, failed: unhandled, skipped: [] }
  for (const module of modules) {
    const before = counts.failed
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed') counts.passed++
      else if (state === 'failed') counts.failed++
      else counts.skipped.push(`${module.relativeModuleId} > ${test.fullName}`)
    }
    // A file that does not load, or a hook outside of any test: no test failed, and yet the file did.
    if (!module.ok() && counts.failed === before) counts.failed++
  }
  return counts
}

/** The default export, because that is where vitest looks for a reporter. */
export default class ClosingLineReporter {
  /** @param {readonly TestModule[]} modules @param {readonly unknown[]} unhandledErrors */
  onTestRunEnd(modules, unhandledErrors) {
    const path = process.env['BINNACLE_TEST_COUNTS']
    if (path !== undefined) writeFileSync(path, JSON.stringify(count(modules, unhandledErrors.length)))
  }
}
