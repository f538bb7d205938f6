/** Other people's packages, pinned by version, installed or built once, outside of the checkout. */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CLIENT_NODE = { name: '@kubernetes/client-node', version: '1.4.0' }

const home = join(
  process.env['BINNACLE_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'binnacle'),
  'bench',
)

/** @param {{ readonly name: string, readonly version: string }} peer @returns {string} the directory of the package */
export function installed({ name, version }) {
  const directory = join(home, `${name.replaceAll(/[@/]+/g, '-').replace(/^-/, '')}-${version}`)
  const target = join(directory, 'node_modules', ...name.split('/'))
  if (existsSync(join(target, 'package.json'))) return target
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{"private":true}')
  console.error(`Installing ${name} ${version}, once, into ${directory}`)
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, `${name}@${version}`], { cwd: directory, stdio: 'inherit' })
  return target
}

/** A program in Go, with client-go as its go.mod pins it. @param {string} program @returns {string | undefined} undefined if it cannot be built here */
export function built(program) {
  const source = fileURLToPath(new URL(`cache/go/${program}`, import.meta.url))
  const content = [join(source, 'main.go'), join(source, '../go.sum')].map((file) => readFileSync(file))
  const hash = createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 12)
  const binary = join(home, 'bin', `${program}-${hash}`)
  if (existsSync(binary)) return binary
  mkdirSync(join(home, 'bin'), { recursive: true })
  console.error(`Building client-go's ${program}, once, into ${binary}`)
  const { status } = spawnSync('go', ['build', '-o', binary, '.'], { cwd: source, stdio: 'inherit' })
  if (status === 0) return binary
  console.error('client-go is left out: it takes Go to build it')
  return undefined
}
