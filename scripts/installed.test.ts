import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stamp, whyInstall } from './installed.mjs'

const LINUX = { os: 'linux', cpu: 'x64', libc: 'glibc' }
const MAC = { os: 'darwin', cpu: 'arm64', libc: undefined }

const lock = {
  packages: {
    '': {},
    'packages/core': { version: '0.1.0' },
    'node_modules/core': { resolved: 'packages/core', link: true },
    'node_modules/plain': { version: '1.0.0', integrity: 'a' },
    'node_modules/tool-linux-x64': { version: '2.0.0', integrity: 'b', optional: true, os: ['linux'], cpu: ['x64'] },
    'node_modules/tool-darwin-arm64': {
      version: '2.0.0',
      integrity: 'c',
      optional: true,
      os: ['darwin'],
      cpu: ['arm64'],
    },
  },
}
const installedOnLinux = ['node_modules/plain', 'node_modules/tool-linux-x64'] as const

let root = ''
const write = (path: string, content: unknown) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), JSON.stringify(content))
}
const recordInstalled = (packages: Record<string, unknown>) => write('node_modules/.package-lock.json', { packages })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'installed-'))
  write('package-lock.json', lock)
  write('packages/core/package.json', {})
  for (const place of installedOnLinux) write(`${place}/package.json`, {})
  symlinkSync('../packages/core', join(root, 'node_modules/core'))
  recordInstalled(Object.fromEntries(installedOnLinux.map((place) => [place, lock.packages[place]])))
})
afterEach(() => rmSync(root, { recursive: true }))

it('asks for no install where everything is there', () => {
  expect(whyInstall(root, LINUX)).toBeUndefined()
})

describe('asks for an install', () => {
  it('where there is none', () => {
    rmSync(join(root, 'node_modules'), { recursive: true })
    expect(whyInstall(root, LINUX)).toBe('nothing is installed yet')
  })

  it('when the lockfile wants another version', () => {
    const plain = { version: '1.0.1', integrity: 'z' }
    write('package-lock.json', { packages: { ...lock.packages, 'node_modules/plain': plain } })
    expect(whyInstall(root, LINUX)).toBe('node_modules/plain 1.0.1 is not installed')
  })

  it('when the lockfile no longer wants what is there', () => {
    const { 'node_modules/plain': _, ...rest } = lock.packages
    write('package-lock.json', { packages: rest })
    expect(whyInstall(root, LINUX)).toMatch('no longer asked for')
  })

  it('when a folder was deleted by hand', () => {
    rmSync(join(root, 'node_modules/plain'), { recursive: true })
    expect(whyInstall(root, LINUX)).toBe('node_modules/plain is missing')
  })

  it('when node_modules comes from another platform', () => {
    expect(whyInstall(root, MAC)).toBe('node_modules/tool-darwin-arm64 2.0.0 is not installed')
  })

  it('when a copy turned a link to the workspace into files', () => {
    rmSync(join(root, 'node_modules/core'))
    write('node_modules/core/package.json', {})
    expect(whyInstall(root, LINUX)).toBe('node_modules/core is not linked to packages/core')
  })
})

it('does not ask again for an optional package that npm could not install here', () => {
  const { 'node_modules/tool-linux-x64': _, ...rest } = lock.packages
  recordInstalled({ 'node_modules/plain': rest['node_modules/plain'] })
  expect(whyInstall(root, LINUX)).toMatch('tool-linux-x64')
  stamp(root)
  expect(whyInstall(root, LINUX)).toBeUndefined()
})
