/**
 * Starts a control plane and leaves it running.
 *
 *     node conformance/control-plane/up.mjs <directory> [--no-controller-manager]
 *
 * The directory keeps certificates and data; a start after a stop finds them again. down.mjs stops it.
 */
import { ControlPlaneError } from './build.mjs'
import { startControlPlane } from './control-plane.mjs'
import { runningIn } from './recorded.mjs'

async function main() {
  const [dir, ...flags] = process.argv.slice(2)
  if (dir === undefined || dir.startsWith('-'))
    throw new ControlPlaneError('Usage: up.mjs <directory> [--no-controller-manager]')
  const running = runningIn(dir)
  if (running.length > 0) {
    throw new ControlPlaneError(
      `${running.map(({ name, pid }) => `${name} (${pid})`).join(', ')} still runs in ${dir}. Stop it with down.mjs first.`,
    )
  }
  const plane = await startControlPlane({
    dir,
    detached: true,
    controllerManager: !flags.includes('--no-controller-manager'),
  })
  console.log(`${plane.serverUrl} is ready.`)
  console.log(`export KUBECONFIG=${plane.kubeconfig}    # without rights: ${plane.userKubeconfig}`)
  console.log(`kubectl of the same version: ${plane.kubectl}`)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof ControlPlaneError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
