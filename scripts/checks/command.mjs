/**
 * Runs a program for a check and keeps what it said.
 */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Of the workspace. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** @typedef {{ readonly code: number, readonly output: string }} Ended */

/**
 * @param {string} program @param {readonly string[]} args
 * @param {{ readonly cwd?: string }} [options]
 * @returns {Promise<Ended>} its exit code, and both of its streams in the order of their arrival
 */
export function command(program, args, { cwd = root } = {}) {
  const color = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  const child = spawn(program, args, { cwd, env: { ...process.env, ...color }, stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = () => child.kill()
  process.once('exit', stop)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      process.removeListener('exit', stop)
      resolve({ code: code ?? 1, output })
    })
  })
}

/**
 * A tool of the workspace, run by this Node.
 * @param {string} path below node_modules @param {readonly string[]} args @param {{ readonly cwd?: string }} [options]
 */
export const tool = (path, args, options) =>
  command(process.execPath, [join(root, 'node_modules', path), ...args], options)

/** The npm that runs us, where one does. @param {readonly string[]} args */
export function npm(args) {
  const path = process.env['npm_execpath']
  if (path !== undefined && /\bnpm-cli\.c?js$/.test(path)) return command(process.execPath, [path, ...args])
  return command('npm', args)
}
