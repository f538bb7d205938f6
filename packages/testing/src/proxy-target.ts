import { readFile } from 'node:fs/promises'
import type { ConnectionInfo } from '@binnacle/client'
import type { ProxyTarget } from '@binnacle/cluster'
import { BinnacleError } from '@binnacle/core'

/** The connection as a proxy needs it: everything read, nothing that has to be renewed. */
export async function proxyTarget(connection: ConnectionInfo): Promise<ProxyTarget> {
  const { server, tlsServerName, insecure, username, exec, proxyUrl } = connection
  if (username !== undefined || exec !== undefined || proxyUrl !== undefined) throw unfit()
  const ca = await pem(connection.caData, connection.caPath)
  const cert = await pem(connection.certificateData, connection.certificatePath)
  const key = await pem(connection.privateKeyData, connection.privateKeyPath)
  const token =
    connection.tokenPath === undefined ? connection.token : (await readFile(connection.tokenPath, 'utf8')).trim()
  return {
    server,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { token }),
    ...(tlsServerName !== undefined && { serverName: tlsServerName }),
    ...(insecure !== undefined && { insecure }),
  }
}

async function pem(data: string | undefined, path: string | undefined): Promise<string | undefined> {
  if (data !== undefined) return data.includes('-----BEGIN') ? data : Buffer.from(data, 'base64').toString()
  return path === undefined ? undefined : await readFile(path, 'utf8')
}

function unfit(): BinnacleError {
  return new BinnacleError('BIN_KUBECONFIG', {
    message:
      'A proxy that strikes requests signs in by certificate or token, not by program or password, and needs no other proxy',
    hint: 'Name a kubeconfig with a certificate or a token, such as that of a service account.',
  })
}
