/**
 * What must be true of package-lock.json, and the one repair that it sometimes needs.
 *
 * A lockfile names no registry host, so that every machine installs from the registry that it is set up for.
 * It also has an entry for each optional dependency, on every platform: npm leaves out those that the registry of the
 * machine that wrote it did not offer, and `npm ci` then refuses the lockfile everywhere.
 *
 * Guarantees: `completed` only adds entries; what npm wrote stays as it is.
 * Does not guarantee: an integrity for added entries. They are for platforms that the writing machine could not see.
 *
 *     node scripts/lockfile.mjs            say what is wrong with the lockfile
 *     node scripts/lockfile.mjs --write    add the missing entries of optional dependencies
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'

/**
 * @typedef {object} LockEntry one installed package, as npm writes it
 * @property {string} [version]
 * @property {string} [resolved]
 * @property {string} [integrity]
 * @property {boolean} [link]
 * @property {boolean} [dev]
 * @property {boolean} [optional]
 * @property {boolean} [devOptional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 * @property {Record<string, string>} [optionalDependencies]
 */
/** @typedef {{ packages: Record<string, LockEntry> }} Lockfile */
/** @typedef {{ readonly from: string, readonly name: string, readonly version: string }} MissingOptional */

const SYSTEMS = new Set([
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
])
const PROCESSORS = new Set([
  'arm',
  'arm64',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
])

/**
 * Where Node would look for `name` when `from` asks for it, nearest first.
 * @param {string} from @param {string} name
 */
function candidates(from, name) {
  const places = []
  for (let at = from; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    places.push(`${at}/node_modules/${name}`)
  }
  return [...places, `node_modules/${name}`]
}

/**
 * @param {Lockfile} lock
 * @returns {MissingOptional[]} the optional dependencies without an entry
 */
export function missingOptionals(lock) {
  return Object.entries(lock.packages).flatMap(([from, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !candidates(from, name).some((place) => Object.hasOwn(lock.packages, place)))
      .map(([name, version]) => ({ from, name, version })),
  )
}

/**
 * Packages for one platform carry it in their name, by a custom that all of them keep: binding-linux-x64-musl.
 * @param {string} name
 */
function platformOf(name) {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-')
  const os = words.filter((word) => SYSTEMS.has(word))
  const cpu = words.filter((word) => PROCESSORS.has(word))
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : []
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(os.includes('linux') && libc.length > 0 ? { libc } : {}),
    ...(os.length > 0 ? { os } : {}),
  }
}

/**
 * @param {Lockfile} lock
 * @returns {Lockfile} the same with an entry for each optional dependency
 */
export function completed(lock) {
  const packages = { ...lock.packages }
  for (const { from, name, version } of missingOptionals(lock)) {
    const dev = lock.packages[from]?.dev === true ? { dev: true } : {}
    packages[`node_modules/${name}`] = { version, ...dev, optional: true, ...platformOf(name) }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
  return { ...lock, packages: Object.fromEntries(sorted) }
}

/**
 * @param {Lockfile} lock
 * @returns {string[]} sentences, one for each thing that is wrong
 */
export function faults(lock) {
  const hosts = Object.entries(lock.packages)
    .filter(([, entry]) => /^[a-z+]+:/.test(entry.resolved ?? ''))
    .map(
      ([place, entry]) =>
        `${place} names where it came from (${entry.resolved}): remove "resolved", .npmrc keeps it out.`,
    )
  const missing = missingOptionals(lock).map(
    ({ from, name }) => `${from} has no entry for its optional ${name}: run "node scripts/lockfile.mjs --write".`,
  )
  return [...hosts, ...missing]
}

/** @param {string | URL} path @returns {Lockfile} */
export function readLockfile(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const path = fileURLToPath(new URL('../package-lock.json', import.meta.url))
  if (process.argv.includes('--write'))
    writeFileSync(path, `${JSON.stringify(completed(readLockfile(path)), null, 2)}\n`)
  const found = faults(readLockfile(path))
  for (const fault of found) console.error(fault)
  process.exitCode = found.length === 0 ? 0 : 1
}
