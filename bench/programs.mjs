/** Programs that are measured, and servers that they are measured on: each in a process of its own, so that none takes time or memory from another. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** @typedef {import('./bench.mjs').Figures} Figures */
/** @typedef {{ readonly command: string, readonly args: readonly string[], readonly env?: NodeJS.ProcessEnv }} Program */

/** A program of ours, with collection on request, and as much memory as it wants. @param {URL} file @param {readonly string[]} args @returns {Program} */
export function nodeProgram(file, args, env = {}) {
  const flags = ['--expose-gc', '--max-old-space-size=12000']
  return { command: process.execPath, args: [...flags, fileURLToPath(file), ...args], env }
}

/** Nothing that is measured takes so long; what does hangs. */
const TOO_LONG_MS = 900_000

/** What it prints, as lines of JSON. @param {Program} program @returns {Promise<Record<string, any>[]>} */
export async function linesOf({ command, args, env }) {
  const stdio = /** @type {const} */ (['ignore', 'pipe', 'inherit'])
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio, timeout: TOO_LONG_MS })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const [code] = await once(child, 'close')
  const lines = output.split('\n').filter((text) => text.startsWith('{'))
  if (code !== 0 || lines.length === 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${output}`)
  return lines.map((line) => JSON.parse(line))
}

/** The figures of a program that prints one line. @param {Program} program @returns {Promise<Figures>} */
export async function figuresOf(program) {
  const [line] = await linesOf(program)
  return Object.fromEntries(Object.entries(line ?? {}).filter(([, value]) => typeof value === 'number'))
}

/** One that prints its port. @param {URL} file @param {readonly string[]} args @returns {Promise<{ port: number, stop: () => void }>} */
export async function startServer(file, args) {
  const child = spawn(process.execPath, [fileURLToPath(file), ...args], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${file.pathname} did not start`)))
  const [line] = await Promise.race([once(child.stdout, 'data'), failed])
  failed.catch(() => {})
  return { port: Number(String(line)), stop: () => child.kill() }
}
