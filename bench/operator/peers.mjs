/** The peers' operators: controller-runtime and the driver by Go, kube-rs by Cargo, Kopf by pip. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { built, builtByCargo, builtByGo, homeOf } from '../toolchains.mjs'

/** @param {string} name */
const folder = (name) => fileURLToPath(new URL(name, import.meta.url))

/** @param {'drive' | 'operator'} program @returns {string | undefined} */
export const goProgram = (program) => builtByGo('operator-go', folder('go'), program)

/** @returns {string | undefined} */
export const kubeRs = () => builtByCargo('operator-rust', folder('rust'), 'kube-operator')

/** @returns {string | undefined} Python with Kopf in it */
export function kopf() {
  const home = homeOf('operator-kopf', folder('kopf'))
  const made = join(home, 'bin', 'kopf')
  /** @type {readonly import('../toolchains.mjs').Step[]} */
  const steps = [
    ['python3', ['-m', 'venv', home]],
    [join(home, 'bin', 'pip'), ['install', '--quiet', '-r', 'requirements.txt']],
  ]
  return built('Kopf', made, steps, folder('kopf')) && join(home, 'bin', 'python')
}
