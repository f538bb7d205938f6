import { readFile } from 'node:fs/promises'
import { KubeConfigError } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'

/**
 * The service account that Kubernetes mounts into a pod.
 * Guarantees: the token is named by its path, so that it is read again as it rotates.
 */

const DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface Pod {
  readonly env: { readonly [name: string]: string | undefined }
  /** Where the service account is mounted. */
  readonly directory: string
}

export const thisPod = (): Pod => ({ env: process.env, directory: DIRECTORY })

/** The connection of the pod; undefined outside of a cluster. */
export async function serviceAccount(pod: Pod): Promise<ConnectionInfo | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = pod.env
  if (!host || !port) return undefined
  const tokenPath = `${pod.directory}/token`
  const caPath = `${pod.directory}/ca.crt`
  if ((await textOf(tokenPath)) === undefined) throw notMounted(tokenPath)
  const namespace = (await textOf(`${pod.directory}/namespace`))?.trim()
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tokenPath,
    ...((await textOf(caPath)) !== undefined && { caPath }),
    ...(namespace && { defaultNamespace: namespace }),
  }
}

async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined)
}

function notMounted(path: string): KubeConfigError {
  return new KubeConfigError({
    message: `This pod has no service account token: ${path} cannot be read`,
    hint: 'Remove "automountServiceAccountToken: false" from the pod or its service account, or name a kubeconfig by KUBECONFIG.',
  })
}
