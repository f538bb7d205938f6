import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { closingLine, verdict } from './vitest-run.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
let dir = ''

// Each run starts a vitest of its own, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

beforeAll(() => {
  mkdirSync(join(root, '.binnacle'), { recursive: true })
  // Inside of the checkout, so that the small tests find vitest.
  dir = mkdtempSync(join(root, '.binnacle/vitest-run-'))
  writeFileSync(join(dir, 'vitest.config.mjs'), `export default { test: { include: ['*.case.mjs'] } }`)
  const head = `import { beforeAll, describe, it } from 'vitest'\n`
  const files = {
    good: `it('a', () => {}); it('b', () => {})`,
    bad: `it('a', () => {}); it('b', () => { throw new Error('no') })`,
    broken: `throw new Error('does not load')`,
    hook: `describe('d', () => { beforeAll(() => { throw new Error('no') }); it('a', () => {}) })`,
    unhandled: `it('a', () => { setTimeout(() => { throw new Error('late') }, 0); return new Promise((r) => setTimeout(r, 50)) })`,
    skipped: `it.skip('a', () => {})`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, `${name}.case.mjs`), head + text)
})
afterAll(() => rmSync(dir, { recursive: true }))

/** The last line of a run. */
function run(filter: string) {
  const driver = `
    import { closingLine, runVitest } from ${JSON.stringify(join(root, 'scripts/vitest-run.mjs'))}
    const counts = await runVitest([${JSON.stringify(filter)}], {}, { cwd: ${JSON.stringify(dir)} })
    console.log(closingLine(counts))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', driver], { encoding: 'utf8' })
  return stdout.trimEnd().split('\n').at(-1)
}

it('counts tests that passed', () => {
  expect(run('good.case')).toBe('2 passed, 0 failed')
})

it('counts tests that failed, files that do not load, hooks, and errors that nobody caught', () => {
  // good 2+0, bad 1+1, broken 0+1, hook 0+1, unhandled 1+1; the skipped one is neither.
  expect(run('.case.mjs')).toBe('4 passed, 4 failed')
})

it('says at the end what failed, and why', () => {
  const driver = `
    import { runVitest, showFailures } from ${JSON.stringify(join(root, 'scripts/vitest-run.mjs'))}
    const counts = await runVitest(['.case.mjs'], {}, { cwd: ${JSON.stringify(dir)} })
    console.log('END')
    showFailures(counts, 'the moon')`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', driver], { encoding: 'utf8' })
  const end = stdout.slice(stdout.indexOf('END'))
  expect(end).toContain('FAILED on the moon: an error that nobody caught\n    late')
  expect(end).toContain('FAILED on the moon: bad.case.mjs > b\n    no')
  expect(end).toContain('FAILED on the moon: broken.case.mjs\n    does not load')
  expect(end).toContain('FAILED on the moon: hook.case.mjs\n')
})

it('fails a run that executed no test', () => {
  expect(run('skipped.case')).toBe('0 passed, 1 failed')
  expect(run('no-such-file')).toBe('0 passed, 1 failed')
})

it('fails a run that skipped a test, unless tests were chosen by name', () => {
  const counts = { passed: 3, failed: 0, skipped: ['a.test.ts > a'], failures: [] }
  expect(verdict(counts, 0)).toEqual({
    counts: { ...counts, failed: 1 },
    complaint: expect.stringContaining('a.test.ts > a'),
  })
  expect(verdict(counts, 0, true).counts.failed).toBe(0)
})

it('counts a vitest that died as a failure', () => {
  expect(closingLine(verdict(undefined, 137).counts)).toBe('0 passed, 1 failed')
  expect(verdict({ passed: 3, failed: 0, skipped: [], failures: [] }, 1).counts.failed).toBe(1)
})
