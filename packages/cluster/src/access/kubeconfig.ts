/** How somebody reaches the cluster: as data for a client, and as the YAML of a kubeconfig. */

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

/** Written by hand, since a printer of YAML would be the largest part of all that is read before a cluster answers. */
export function kubeconfigOf(connection: Connection, user: string, namespace = 'default'): string {
  const { server, caData, insecure, certificateData, privateKeyData, token } = connection
  const lines = [
    ...['apiVersion: v1', 'kind: Config', 'current-context: binnacle'],
    ...['clusters:', '  - name: binnacle', '    cluster:', `      server: ${server}`],
    ...field('certificate-authority-data', encoded(caData)),
    // Skip-verify on plain HTTP: Go ignores it, and @kubernetes/client-node refuses http:// without it.
    ...field('insecure-skip-tls-verify', insecure ? 'true' : undefined),
    ...['users:', `  - name: ${scalar(user)}`],
    ...userOf([
      ...field('client-certificate-data', encoded(certificateData)),
      ...field('client-key-data', encoded(privateKeyData)),
      ...field('token', token === undefined ? undefined : scalar(token)),
    ]),
    ...['contexts:', '  - name: binnacle', '    context:', '      cluster: binnacle'],
    ...[`      user: ${scalar(user)}`, `      namespace: ${scalar(namespace)}`],
  ]
  return `${lines.join('\n')}\n`
}

const encoded = (text: string | undefined) => (text === undefined ? undefined : base64(text))
const field = (name: string, value: string | undefined) => (value === undefined ? [] : [`      ${name}: ${value}`])
const userOf = (fields: readonly string[]) => (fields.length === 0 ? ['    user: {}'] : ['    user:', ...fields])

/** Bare where no reader could take it for anything but text; else as JSON, which is YAML too. */
function scalar(text: string): string {
  const bare = /^[A-Za-z][\w./:-]*\w$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text)
  return bare ? text : JSON.stringify(text)
}
