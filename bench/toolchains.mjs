/**
 * Peers' programs, pinned by version and built once, outside of the checkout: by Go, by Cargo, by pip. A peer whose toolchain is missing is left out, and said so.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { cacheHome } from './home.mjs'

/** @typedef {readonly [command: string, args: readonly string[], env?: NodeJS.ProcessEnv]} Step */

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

/** Where what is made of a folder's sources goes. @param {string} name @param {string} folder */
export const homeOf = (name, folder) => join(cacheHome(), `${name}-${digestOf(folder)}`)

/**
 * @param {string} what @param {string} made the file that is there once it is built
 * @param {readonly Step[]} steps @param {string} cwd @returns {string | undefined}
 */
export function built(what, made, steps, cwd) {
  if (existsSync(made)) return made
  mkdirSync(join(made, '..'), { recursive: true })
  console.error(`Building ${what}, once, into ${made}`)
  for (const [command, args, env] of steps) {
    const { status, error } = spawnSync(command, args, {
      cwd,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    })
    if (status === 0) continue
    console.error(`${what} is left out: ${error ? `there is no ${command}` : `${command} ended with code ${status}`}`)
    return undefined
  }
  return made
}

/** @param {string} name @param {string} folder with its main package in it @param {string} [program] @returns {string | undefined} */
export function builtByGo(name, folder, program = '.') {
  const made = join(homeOf(name, folder), program === '.' ? name : program)
  return built(`${name} ${program} (Go)`, made, [['go', ['build', '-o', made, `./${program}`]]], folder)
}

/** @param {string} name @param {string} folder @param {string} program @returns {string | undefined} */
export function builtByCargo(name, folder, program) {
  const home = homeOf(name, folder)
  const made = join(home, 'release', program)
  return built(
    `${program} (Rust)`,
    made,
    [['cargo', ['build', '--release', '--locked'], { CARGO_TARGET_DIR: home }]],
    folder,
  )
}
