/** Where peers are built and kept, outside of the checkout, beside the control plane; and what to say if one cannot be had. */
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The cache of everything that is built once. @param {NodeJS.ProcessEnv} [env] */
export function cacheHome(env = process.env) {
  return join(env['BINNACLE_CACHE'] || env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'binnacle', 'bench')
}

/** Something that this machine lacks, such as a toolchain: what needs it is left out, and said so. */
export class Lacking extends Error {}
