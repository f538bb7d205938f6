import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FileLock } from './file-lock.ts'

let directory: string
const file = () => join(directory, 'data')
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** The number of a process that is gone. */
const gone = () => spawnSync(process.execPath, ['-e', '']).pid
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}
const held = (pid: number, more: object = {}) =>
  writeFileSync(`${file()}.lock`, JSON.stringify({ id: 'old', pid, host: hostname(), started: '', ...more }))

describe('the lock of a data file', () => {
  it('is for one holder at a time, and free again after him', () => {
    const lock = FileLock.acquire(file())
    expect(() => FileLock.acquire(file())).toThrow(`is in use by process ${process.pid}`)
    lock.release()
    lock.release()
    FileLock.acquire(file()).release()
    expect(readdirSync(directory)).toEqual([])
  })

  it('is taken over from a process that is gone', () => {
    held(gone())
    const lock = FileLock.acquire(file())
    expect(() => FileLock.acquire(file())).toThrow('is in use')
    lock.release()
    expect(readdirSync(directory)).toEqual([])
  })

  it.runIf(process.platform === 'linux')('is taken over from a process that has ended and was not buried', async () => {
    // The shell becomes a program that never asks for its child. Only then the child ends, since a shell would bury it.
    const script = 'exec 3<&0; cat <&3 >/dev/null & echo $!; exec sleep 60'
    const parent = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] })
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n')
    parent.stdin.end()
    await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '))
    held(pid)
    FileLock.acquire(file()).release()
    parent.kill()
  })

  it('is taken over from an earlier process of the same number', () => {
    held(process.pid, { started: 'another-boot 1' })
    FileLock.acquire(file()).release()
  })

  it('is taken over also when somebody died while he took it over', () => {
    held(gone())
    writeFileSync(`${file()}.lock.old`, JSON.stringify({ id: 'second', pid: gone(), host: hostname(), started: '' }))
    FileLock.acquire(file()).release()
    expect(readdirSync(directory)).toEqual([])
  })

  it('is left alone while somebody else takes it over', () => {
    held(gone())
    const other = FileLock.acquire(join(directory, 'other'))
    renameSync(join(directory, 'other.lock'), `${file()}.lock.old`)
    expect(() => FileLock.acquire(file())).toThrow('is in use')
    other.release()
  })

  it('of another machine, or unreadable, is respected', () => {
    held(1, { host: 'elsewhere' })
    expect(() => FileLock.acquire(file())).toThrow(`is in use by process 1 on elsewhere`)
    writeFileSync(`${file()}.lock`, 'nonsense')
    expect(() => FileLock.acquire(file())).toThrow('is in use by another process')
  })

  it('is not released by whoever does not hold it any more', () => {
    const lock = FileLock.acquire(file())
    held(process.pid, { host: 'elsewhere' })
    lock.release()
    expect(readdirSync(directory)).toEqual(['data.lock'])
  })
})
