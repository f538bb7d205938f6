/**
 * What `npm install binnacle` puts on a disk: the packages of this checkout as they would be published, with what they depend on, in a directory that
 * is removed afterwards.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Lacking } from '../home.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** What `binnacle` is made of. */
const OWN = ['core', 'kinds', 'client', 'cache', 'operator']
const run = promisify(execFile)

/** Bytes of all files below. @param {string} path @returns {number} */
function bytesOf(path) {
  const entries = readdirSync(path, { withFileTypes: true })
  return entries.reduce((sum, entry) => {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) return sum + bytesOf(inner)
    return sum + (entry.isFile() ? statSync(inner).size : 0)
  }, 0)
}

/** @param {string} out @returns {Promise<{ readonly files: readonly string[], readonly bytes: number }>} */
async function pack(out) {
  const workspaces = OWN.flatMap((name) => ['--workspace', `packages/${name}`])
  const flags = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', out]
  const { stdout } = await run('npm', [...flags, ...workspaces], { cwd: root, maxBuffer: 1 << 26 })
  const names = [...stdout.matchAll(/"filename":\s*"([^"]+)"/g)].map((match) => match[1] ?? '')
  const files = names.map((name) => join(out, name))
  return { files, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) }
}

/** @returns {Promise<import('../bench.mjs').Figures>} */
export async function installedSize() {
  const directory = mkdtempSync(join(tmpdir(), 'binnacle-size-'))
  try {
    const { files, bytes } = await pack(directory)
    writeFileSync(join(directory, 'package.json'), '{"private":true}')
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    await run('npm', ['install', ...flags, ...files], { cwd: directory })
    const modules = join(directory, 'node_modules')
    const lock = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
    const packages = Object.keys(lock.packages).length
    return { installedMB: bytesOf(modules) / 2 ** 20, packedKB: bytes / 1024, packages }
  } catch (error) {
    const { stderr = '' } = /** @type {{ stderr?: string }} */ (error)
    if (/ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTCACHED/.test(stderr))
      throw new Lacking('npm reaches no registry, and what binnacle depends on is not in its cache')
    throw error
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
