/** Other people's packages, pinned by version, installed or built once, outside of the checkout. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheHome } from './home.mjs'
import { builtByCargo, builtByGo } from './toolchains.mjs'

export const CLIENT_NODE = { name: '@kubernetes/client-node', version: '1.4.0' }

/** @param {{ readonly name: string, readonly version: string }} peer @returns {string} the directory of the package */
export function installed({ name, version }) {
  const directory = join(cacheHome(), `${name.replaceAll(/[@/]+/g, '-').replace(/^-/, '')}-${version}`)
  const target = join(directory, 'node_modules', ...name.split('/'))
  if (existsSync(join(target, 'package.json'))) return target
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  console.error(`Installing ${name} ${version}, once, into ${directory}`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: directory, stdio: ['ignore', 2, 2] })
  return target
}

/** A program in Go, with client-go as its go.mod pins it. @param {'informer' | 'micro'} program @returns {string | undefined} undefined if it cannot be built here */
export const built = (program) => builtByGo('cache-go', fileURLToPath(new URL('cache/go', import.meta.url)), program)

/** The informer of kube-rs. @returns {string | undefined} */
export const kubeInformer = () =>
  builtByCargo('cache-rust', fileURLToPath(new URL('cache/rust', import.meta.url)), 'kube-informer')
