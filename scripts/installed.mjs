/**
 * Whether node_modules is what package-lock.json asks for, on this machine.
 *
 * Guarantees: says yes only where every package of the lockfile that this platform needs is there in its version, and every
 * package of the workspace is linked to its folder. A node_modules that was copied from another platform, or that an
 * interrupted install left behind, is not taken for good.
 * Does not guarantee: that nobody edited a file inside of an installed package.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {import('./lockfile.mjs').LockEntry} LockEntry */
/** @typedef {import('./lockfile.mjs').Lockfile} Lockfile */
/** @typedef {{ readonly os: string, readonly cpu: string, readonly libc: string | undefined }} Platform */

/** @returns {Platform} */
function thisPlatform() {
  const os = process.platform
  return { os, cpu: process.arch, libc: os === 'linux' ? linuxLibc() : undefined }
}

function linuxLibc() {
  /** @type {any} */
  const report = process.report.getReport()
  return report.header.glibcVersionRuntime === undefined ? 'musl' : 'glibc'
}

/** @param {readonly string[] | undefined} wanted @param {string | undefined} have npm's lists: names, or !names */
function allows(wanted, have) {
  if (wanted === undefined || wanted.length === 0) return true
  if (have === undefined) return false
  const refused = wanted.filter((name) => name.startsWith('!'))
  if (refused.length > 0) return !refused.includes(`!${have}`)
  return wanted.includes(have) || wanted.includes('any')
}

/** @param {LockEntry} entry @param {Platform} platform */
const fits = (entry, platform) =>
  allows(entry.os, platform.os) && allows(entry.cpu, platform.cpu) && allows(entry.libc, platform.libc)

/** @param {LockEntry} entry */
const isOptional = (entry) => entry.optional === true || entry.devOptional === true

/** An optional package for all platforms belongs to some package that is not; npm leaves both out. @param {LockEntry} entry */
const isForOnePlatform = (entry) => entry.os !== undefined || entry.cpu !== undefined

/** The stamp's name: written after an install, gone with node_modules. */
const STAMP = 'node_modules/.binnacle-installed'

/** @param {string} root */
function stampText(root) {
  const { os, cpu, libc } = thisPlatform()
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  return `${lock} ${os}-${cpu}-${libc ?? 'any'}\n`
}

/** Remembers that what is installed now is the best that this lockfile gives on this machine. @param {string} root */
export function stamp(root) {
  writeFileSync(join(root, STAMP), stampText(root))
}

/** @param {string} path @returns {string | undefined} */
function textOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** @param {string} root @param {string} place @param {LockEntry} entry */
function isLinked(root, place, entry) {
  const path = join(root, place)
  return existsSync(path) && realpathSync(path) === realpathSync(join(root, entry.resolved ?? ''))
}

/**
 * @param {string} root of the workspace
 * @param {Platform} [platform]
 * @returns {string | undefined} why an install is needed, in a few words; undefined if it is not
 */
export function whyInstall(root, platform = thisPlatform()) {
  const installedText = textOf(join(root, 'node_modules/.package-lock.json'))
  if (installedText === undefined) return 'nothing is installed yet'
  /** @type {Lockfile} */
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  /** @type {Lockfile} */
  const installed = JSON.parse(installedText)
  const stamped = textOf(join(root, STAMP)) === stampText(root)
  for (const [place, entry] of Object.entries(lock.packages)) {
    if (!place.includes('node_modules/')) continue
    if (entry.link === true) {
      if (!isLinked(root, place, entry)) return `${place} is not linked to ${entry.resolved}`
      continue
    }
    if (!fits(entry, platform) || (isOptional(entry) && (stamped || !isForOnePlatform(entry)))) continue
    const have = installed.packages[place]
    if (have?.version !== entry.version || have?.integrity !== entry.integrity)
      return `${place} ${entry.version} is not installed`
    if (!existsSync(join(root, place, 'package.json'))) return `${place} is missing`
  }
  const extra = Object.keys(installed.packages).find((place) => !Object.hasOwn(lock.packages, place))
  return extra === undefined ? undefined : `${extra} is installed but no longer asked for`
}
