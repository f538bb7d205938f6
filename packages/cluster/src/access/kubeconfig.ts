/** How somebody reaches the cluster: as data for a client, and as the YAML of a kubeconfig. */
import { stringify as printYaml } from 'yaml'

/** It fits the client's ConnectionInfo. */
export interface Connection {
  readonly server: string
  readonly insecure?: boolean
  /** PEM, as are the two below. */
  readonly caData?: string
  readonly certificateData?: string
  readonly privateKeyData?: string
  readonly token?: string
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

export function kubeconfigOf(connection: Connection, user: string, namespace = 'default'): string {
  const { server, caData, insecure, certificateData, privateKeyData, token } = connection
  return printYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'binnacle',
    clusters: [
      {
        name: 'binnacle',
        cluster: {
          server,
          ...(caData === undefined ? {} : { 'certificate-authority-data': base64(caData) }),
          // Skip-verify on plain HTTP: Go ignores it, and @kubernetes/client-node refuses http:// without it.
          ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
        },
      },
    ],
    users: [
      {
        name: user,
        user: {
          ...(certificateData === undefined ? {} : { 'client-certificate-data': base64(certificateData) }),
          ...(privateKeyData === undefined ? {} : { 'client-key-data': base64(privateKeyData) }),
          ...(token === undefined ? {} : { token }),
        },
      },
    ],
    contexts: [{ name: 'binnacle', context: { cluster: 'binnacle', user, namespace } }],
  })
}
