/** The peers' operators that have to be built: controller-runtime and the driver by Go, kube-rs by Cargo. */
import { fileURLToPath } from 'node:url'
import { builtByCargo, builtByGo } from '../toolchains.mjs'

/** @param {string} name */
const folder = (name) => fileURLToPath(new URL(name, import.meta.url))

/** @param {'drive' | 'operator'} program @returns {string | undefined} */
export const goProgram = (program) => builtByGo('operator-go', folder('go'), program)

/** @returns {string | undefined} */
export const kubeRs = () => builtByCargo('operator-rust', folder('rust'), 'kube-operator')
