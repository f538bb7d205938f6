/**
 * What the workspace consists of, read from its package.json files.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './command.mjs'

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {boolean} [private]
 * @property {string[]} [workspaces]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */
/** @typedef {{ readonly folder: string, readonly manifest: Manifest }} Package folder relative to the root; '' is the root */

/** @param {string} folder @returns {Package} */
function read(folder) {
  return { folder, manifest: JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) }
}

/** @returns {Package[]} the root first, then each package */
export function workspacePackages() {
  const top = read('')
  const folders = (top.manifest.workspaces ?? []).flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [pattern]
    const parent = pattern.slice(0, -2)
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
  })
  return [top, ...folders.filter((folder) => existsSync(join(root, folder, 'package.json'))).map(read)]
}

/** @returns {Package[]} those that users install */
export const publishedPackages = () => workspacePackages().filter(({ manifest }) => manifest.private !== true)
