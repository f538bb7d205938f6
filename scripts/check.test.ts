import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it, vi } from 'vitest'

// Processes are started, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const script = fileURLToPath(new URL('check.mjs', import.meta.url))
const check = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })

it('runs the checks that were asked for, a line each, and counts them', () => {
  const { status, stdout } = check('--only', 'lockfile,dependencies')
  const lines = stdout.trimEnd().split('\n')
  expect(lines[0]).toMatch(/^ok +lockfile +[\d.]+ s$/)
  expect(lines[1]).toMatch(/^ok +dependencies +[\d.]+ s$/)
  expect(lines.at(-1)).toBe('2 passed, 0 failed')
  expect(status).toBe(0)
})

it('names its checks when asked for help, and when it does not understand', () => {
  expect(check('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('layering') })
  expect(check('--only', 'tidiness')).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/no check "tidiness".*layering/s),
  })
  expect(check('--fast')).toMatchObject({ status: 2, stderr: expect.stringContaining('Unknown argument "--fast"') })
})
