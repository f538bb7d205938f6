/** Other people's packages, pinned by version, installed once, outside of the checkout. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const CLIENT_NODE = { name: '@kubernetes/client-node', version: '1.4.0' }

/** @param {{ readonly name: string, readonly version: string }} peer @returns {string} the directory of the package */
export function installed({ name, version }) {
  const cache =
    process.env['BINNACLE_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'binnacle')
  const directory = join(cache, 'bench', `${name.replaceAll(/[@/]+/g, '-').replace(/^-/, '')}-${version}`)
  const target = join(directory, 'node_modules', ...name.split('/'))
  if (existsSync(join(target, 'package.json'))) return target
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  console.log(`Installing ${name} ${version}, once, into ${directory}`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: directory, stdio: 'inherit' })
  return target
}
