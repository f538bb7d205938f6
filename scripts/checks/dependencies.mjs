/**
 * Every dependency has its reason in docs/dependencies.md, in the version that is installed; and no reason outlives its
 * dependency.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './command.mjs'
import { workspacePackages } from './workspace.mjs'

const PAGE = 'docs/dependencies.md'

/** @typedef {import('./workspace.mjs').Manifest} Manifest */

/** @param {readonly Manifest[]} manifests @returns {Map<string, string>} name and version of what comes from outside */
export function outsideDependencies(manifests) {
  const own = new Set(manifests.map(({ name }) => name))
  const pinned = manifests.flatMap(({ dependencies, devDependencies, optionalDependencies }) =>
    [dependencies, devDependencies, optionalDependencies].flatMap((group) => Object.entries(group ?? {})),
  )
  // A peer is a range of what users may have; where we have it ourselves, our version is the one to explain.
  const peers = manifests.flatMap(({ peerDependencies }) => Object.entries(peerDependencies ?? {}))
  return new Map([...peers, ...pinned].filter(([name]) => !own.has(name)))
}

/** Rows such as: | `undici` | 7.30.2 | client | reason |. @param {string} page @returns {Map<string, string>} */
export function documented(page) {
  return new Map(
    [...page.matchAll(/^\| `([^`]+)` \| (\S+) \|/gm)].map(([, name = '', version = '']) => [name, version]),
  )
}

/**
 * @param {Map<string, string>} used @param {Map<string, string>} explained
 * @returns {string[]}
 */
export function disagreements(used, explained) {
  const faults = []
  for (const [name, version] of used) {
    const told = explained.get(name)
    if (told === undefined)
      faults.push(`${PAGE} has no row for ${name} ${version}: add one with the reason, or remove the dependency.`)
    else if (told !== version) faults.push(`${PAGE} says ${name} ${told}, package.json says ${version}.`)
  }
  for (const name of explained.keys()) {
    if (!used.has(name)) faults.push(`${PAGE} explains ${name}, which no package.json asks for any more.`)
  }
  return faults
}

/** @returns {string[]} */
export function checkDependencies() {
  const used = outsideDependencies(workspacePackages().map(({ manifest }) => manifest))
  return disagreements(used, documented(readFileSync(join(root, PAGE), 'utf8')))
}
