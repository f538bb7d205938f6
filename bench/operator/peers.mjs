/**
 * The peers' operators, pinned by version and built once, outside of the checkout: controller-runtime and the driver by Go, kube-rs by Cargo, Kopf by pip.
 * A peer whose toolchain is missing is left out, and said so.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const cache =
  process.env['BINNACLE_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'binnacle')

/** Part of every built program's path, so that a change of its source is a new program. @param {string} folder */
function digestOf(folder) {
  const hash = createHash('sha256')
  const add = (/** @type {string} */ path) => {
    for (const name of readdirSync(path).sort()) {
      const file = join(path, name)
      if (statSync(file).isDirectory()) add(file)
      else hash.update(name).update(readFileSync(file))
    }
  }
  add(folder)
  return hash.digest('hex').slice(0, 12)
}

/** @param {string} folder */
const homeOf = (folder) => join(cache, 'bench', `operator-${folder}-${digestOf(join(here, folder))}`)

/**
 * @param {string} what @param {string} made the file that is there once it is built
 * @param {readonly (readonly [command: string, args: readonly string[], env?: NodeJS.ProcessEnv])[]} steps
 * @param {string} cwd @returns {string | undefined}
 */
function built(what, made, steps, cwd) {
  if (existsSync(made)) return made
  mkdirSync(join(made, '..'), { recursive: true })
  console.log(`Building ${what}, once, into ${made}`)
  for (const [command, args, env] of steps) {
    const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
    if (status === 0) continue
    console.log(`${what} is left out: ${error ? `there is no ${command}` : `${command} ended with code ${status}`}`)
    return undefined
  }
  return made
}

/** @param {'drive' | 'operator'} program @returns {string | undefined} */
export function goProgram(program) {
  const made = join(homeOf('go'), program)
  return built(`${program} (Go)`, made, [['go', ['build', '-o', made, `./${program}`]]], join(here, 'go'))
}

/** @returns {string | undefined} */
export function kubeRs() {
  const home = homeOf('rust')
  const made = join(home, 'release', 'kube-operator')
  const build = /** @type {const} */ (['cargo', ['build', '--release', '--locked'], { CARGO_TARGET_DIR: home }])
  return built('kube-rs', made, [build], join(here, 'rust'))
}

/** @returns {string | undefined} Python with Kopf in it */
export function kopf() {
  const home = homeOf('kopf')
  const made = join(home, 'bin', 'kopf')
  const steps = /** @type {const} */ ([
    ['python3', ['-m', 'venv', home]],
    [join(home, 'bin', 'pip'), ['install', '--quiet', '-r', 'requirements.txt']],
  ])
  return built('Kopf', made, steps, join(here, 'kopf')) && join(home, 'bin', 'python')
}
