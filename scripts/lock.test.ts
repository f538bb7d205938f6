import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { withLock } from './lock.mjs'

let path = ''
let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lock-'))
  path = join(dir, 'deep/lock')
})
afterEach(() => rmSync(dir, { recursive: true }))

it('lets one in at a time, and the next when he is done', async () => {
  let inside = 0
  let most = 0
  let waits = 0
  const work = async () => {
    most = Math.max(most, ++inside)
    await wait(20)
    inside--
  }
  const all = [1, 2, 3].map(() => withLock(path, work, { onWait: () => waits++ }))
  await Promise.all(all)
  expect({ most, waits }).toEqual({ most: 1, waits: 2 })
})

it('lets go when the work fails', async () => {
  await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(existsSync(path)).toBe(false)
})

it('takes over from a holder that has long shown no life', async () => {
  await withLock(path, async () => {})
  writeFileSync(path, '')
  utimesSync(path, new Date(0), new Date(0))
  expect(await withLock(path, async () => 'mine')).toBe('mine')
})
