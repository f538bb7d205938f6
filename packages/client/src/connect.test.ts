import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { explain, type Logger, silentLogger } from '@binnacle/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CERTIFICATE, PRIVATE_KEY } from '../test/certificate.ts'
import { connect } from './connect.ts'
import type { ConnectionInfo } from './connection.ts'
import { KubeConfig } from './kubeconfig.ts'

const SECRET = 'planted-secret'
let server: Server
let address: string

beforeAll(async () => {
  server = createServer({
    cert: CERTIFICATE,
    key: PRIVATE_KEY,
    ca: CERTIFICATE,
    requestCert: true,
    rejectUnauthorized: false,
  })
  server.on('request', (request, response) => {
    const { authorized } = request.socket as unknown as { authorized: boolean }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ authorization: request.headers.authorization, certificate: authorized }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function asked(connection: Partial<ConnectionInfo>, logger: Logger = silentLogger): Promise<unknown> {
  const kubeconfig = { server: address, ...connection }
  await using client = await connect({ kubeconfig, logger, errorBackoffs: [] })
  return await client.request('GET', '/').catch((error: unknown) => explain(error))
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a connection by TLS', () => {
  it('trusts the certificate authority that it is given, as PEM or in base64', async () => {
    expect(await asked({ caData: CERTIFICATE, token: 't' })).toEqual({ authorization: 'Bearer t', certificate: false })
    expect(await asked({ caData: base64(CERTIFICATE) })).toEqual({ certificate: false })
  })

  it('trusts no other, and says what to look at', async () => {
    expect(await asked({ token: SECRET })).toMatch(
      /^No answer from https:\/\/127\.0\.0\.1:\d+: its certificate is not signed by .*\nCheck certificate-authority/,
    )
  })

  it('shows a client certificate', async () => {
    const certificate = { certificateData: base64(CERTIFICATE), privateKeyData: base64(PRIVATE_KEY) }
    expect(await asked({ caData: CERTIFICATE, ...certificate })).toEqual({ certificate: true })
  })

  it('checks the name that tls-server-name gives', async () => {
    expect(await asked({ caData: CERTIFICATE, tlsServerName: 'kubernetes' })).toEqual({ certificate: false })
    expect(await asked({ caData: CERTIFICATE, tlsServerName: 'elsewhere' })).toContain(
      'its certificate is for another name',
    )
  })

  it('skips the check only when told to, and warns', async () => {
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (message: string) => warnings.push(message) }
    expect(await asked({ insecure: true }, logger)).toEqual({ certificate: false })
    expect(warnings).toEqual(['The certificate of the API server is not checked'])
  })
})

describe('connect', () => {
  it('takes the namespace of the context, unless another is given', async () => {
    const yaml = JSON.stringify({
      'current-context': 'a',
      clusters: [{ name: 'c', cluster: { server: 'http://localhost' } }],
      contexts: [
        { name: 'a', context: { cluster: 'c', namespace: 'shop' } },
        { name: 'b', context: { cluster: 'c' } },
      ],
    })
    const kubeconfig = KubeConfig.fromString(yaml)
    const namespaceOf = async (more: object) => {
      await using client = await connect({ kubeconfig, ...more })
      return client.namespace
    }
    expect(await namespaceOf({})).toBe('shop')
    expect(await namespaceOf({ context: 'b' })).toBe('default')
    expect(await namespaceOf({ namespace: 'mine' })).toBe('mine')
    await expect(namespaceOf({ context: 'c' })).rejects.toThrow(/no context "c"/)
  })

  it('names the file that does not exist', async () => {
    await expect(connect({ kubeconfig: '/nowhere/config' })).rejects.toThrow('/nowhere/config does not exist')
  })
})
