/** Kopf, pinned by version, in a virtual environment of its own outside of the checkout; made once, if there is a Python. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const VERSION = '1.45.2'
const PACKAGES = [`kopf==${VERSION}`, 'uvloop==0.23.0', 'aiohttp==3.14.5']

/** @returns {string | undefined} its Python; undefined, and a line that says why, if it cannot be had */
export function kopfPython() {
  const cache =
    process.env['BINNACLE_CACHE'] ?? join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'binnacle')
  const home = join(cache, 'bench', `kopf-${VERSION}`)
  const python = join(home, 'bin', 'python')
  if (hasKopf(python)) return python
  if (!ran('python3', ['--version'])) return without('there is no python3')
  console.log(`Installing Kopf ${VERSION}, once, into ${home}`)
  if (!existsSync(python) && !ran('python3', ['-m', 'venv', home])) return without('python3 -m venv failed')
  if (!ran(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...PACKAGES]))
    return without('pip could not install it')
  return hasKopf(python) ? python : without('it cannot be imported')
}

/** @param {string} python */
const hasKopf = (python) => existsSync(python) && ran(python, ['-c', 'import kopf, uvloop'])

/** @param {string} command @param {readonly string[]} args */
const ran = (command, args) => spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0

/** @param {string} why */
function without(why) {
  console.log(`Kopf is left out, and figures stand without it: ${why}.`)
  return undefined
}
