import { expect, it } from 'vitest'
import { completed, faults, missingOptionals, readLockfile } from './lockfile.mjs'

const lock = {
  packages: {
    'node_modules/tool': {
      version: '1.0.0',
      dev: true,
      optionalDependencies: { '@tool/linux-x64-musl': '1.0.0', inner: '2.0.0' },
    },
    'node_modules/tool/node_modules/inner': { version: '2.0.0' },
  },
}

it('finds optional dependencies that npm left out', () => {
  expect(missingOptionals(lock)).toEqual([
    { from: 'node_modules/tool', name: '@tool/linux-x64-musl', version: '1.0.0' },
  ])
})

it('adds them with the platform that their name tells', () => {
  const added = completed(lock).packages['node_modules/@tool/linux-x64-musl']
  expect(added).toEqual({ version: '1.0.0', dev: true, optional: true, cpu: ['x64'], libc: ['musl'], os: ['linux'] })
  expect(faults(completed(lock))).toEqual([])
})

it('refuses the address of a registry', () => {
  const resolved = 'https://registry.example/tool.tgz'
  expect(faults({ packages: { 'node_modules/tool': { version: '1.0.0', resolved } } })).toEqual([
    expect.stringContaining(resolved),
  ])
})

it('finds nothing wrong with the lockfile of this repository', () => {
  expect(faults(readLockfile(new URL('../package-lock.json', import.meta.url)))).toEqual([])
})
