import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { isNewEnough } from './build.mjs'

it.each([
  ['1.26.0', '1.26.0', true],
  ['1.26.8', '1.26.0', true],
  ['1.27', '1.26.9', true],
  ['2.0', '1.26.0', true],
  ['1.25.9', '1.26.0', false],
  ['1.9', '1.26', false],
  ['1.27rc1', '1.26.0', true],
])('takes Go %s, where %s is needed: %s', (have, need, enough) => {
  expect(isNewEnough(have, need)).toBe(enough)
})

it('says what to do where Go is missing, and fails', () => {
  const empty = mkdtempSync(join(tmpdir(), 'no-go-'))
  symlinkSync(process.execPath, join(empty, 'node'))
  const { status, stderr, stdout } = spawnSync('node', [fileURLToPath(new URL('build.mjs', import.meta.url))], {
    env: { PATH: empty },
    encoding: 'utf8',
  })
  rmSync(empty, { recursive: true })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(/there is no "go" on the PATH\. Install Go \d/)
})
