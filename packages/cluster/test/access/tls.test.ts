import { X509Certificate } from 'node:crypto'
import { Agent, type RequestOptions, request } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { connect } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { newAuthority, newClientCertificate, newServerCertificate } from '../../src/access/certificate.ts'
import { Cluster, type Connection } from '../../src/index.ts'
import type { Any } from '../api.ts'

const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

function send(
  connection: Connection,
  path: string,
  options: RequestOptions & { body?: string } = {},
): Promise<{ code: number; body: Any; port: number | undefined }> {
  const { server, caData, certificateData, privateKeyData, token } = connection
  const { body, ...rest } = options
  return new Promise((resolve, reject) => {
    const call = request(
      `${server}${path}`,
      {
        ca: caData,
        ...(certificateData && { cert: certificateData, key: privateKeyData }),
        ...(token && { headers: { authorization: `Bearer ${token}` } }),
        ...(body && { method: 'POST' }),
        ...rest,
      },
      (answer) => {
        const port = call.socket?.localPort
        let text = ''
        answer.on('data', (chunk) => {
          text += chunk
        })
        answer.on('end', () => resolve({ code: answer.statusCode ?? 0, body: JSON.parse(text || '{}'), port }))
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

const me = async (connection: Connection, options: RequestOptions = {}) => {
  const { code, body } = await send(connection, whoami, { body: '{}', ...options })
  return code === 201 ? body.status.userInfo : code
}

describe('over TLS', () => {
  it('a certificate says who one is: the common name and the organizations', async () => {
    await using cluster = await Cluster.start({
      users: [{ name: 'jane', groups: ['devs', 'ops'], signIn: 'certificate' }],
    })
    expect(cluster.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(await me(cluster.connectionOf('jane'))).toEqual({
      username: 'jane',
      groups: ['devs', 'ops', 'system:authenticated'],
    })
    expect(await me(cluster.connection)).toEqual({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    })
  })

  it('a connection is kept, and its user with it; a resumed session has the same user', async () => {
    await using cluster = await Cluster.start({ tls: true })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const first = await send(cluster.connection, whoami, { agent, body: '{}' })
    const second = await send(cluster.connection, whoami, { agent, body: '{}' })
    expect([first.port, second.body.status.userInfo.username]).toEqual([second.port, 'kubernetes-admin'])
    agent.destroy()
    const again = new Agent({ keepAlive: false, maxCachedSessions: 10 })
    for (let i = 0; i < 3; i++)
      expect(await me(cluster.connection, { agent: again })).toMatchObject({ username: 'kubernetes-admin' })
    again.destroy()
  })

  it('who has nothing is refused, or nobody in particular where permissions are enforced', async () => {
    await using strict = await Cluster.start({ tls: true })
    const bare = ({ server, caData }: Connection): Connection => ({ server, ...(caData && { caData }) })
    const refused = await send(bare(strict.connection), '/version')
    expect([refused.code, refused.body.reason]).toEqual([401, 'Unauthorized'])
    await using open = await Cluster.start({ rbac: true })
    expect((await send(bare(open.connection), '/version')).code).toBe(200)
    expect((await send(bare(open.connection), '/api/v1/pods')).body.message).toContain(
      'User "system:anonymous" cannot list',
    )
    await using closed = await Cluster.start({ rbac: true, anonymous: false })
    expect((await send(bare(closed.connection), '/version')).code).toBe(401)
  })

  it('a certificate of somebody else’s authority opens nothing', async () => {
    await using cluster = await Cluster.start({ rbac: true })
    const subject = { commonName: 'kubernetes-admin', organizations: ['system:masters'] }
    const forged = newClientCertificate(newAuthority(new Date()), subject, new Date())
    const stranger = { ...cluster.connection, certificateData: forged.certificate, privateKeyData: forged.key }
    expect(await me(stranger)).toBe(401)
    const { server, caData } = cluster.connection
    const late = newClientCertificate(newAuthority(new Date(0)), subject, new Date(0))
    expect(
      await me({ server, ...(caData && { caData }), certificateData: late.certificate, privateKeyData: late.key }),
    ).toBe(401)
  })

  it('shows a certificate for every name of loopback and of the service', async () => {
    await using cluster = await Cluster.start({ tls: true })
    const { port } = new URL(cluster.url)
    const shown = await new Promise<X509Certificate>((resolve, reject) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', ca: cluster.connection.caData ?? '' }, () => {
        resolve(new X509Certificate(socket.getPeerCertificate().raw))
        socket.destroy()
      })
      socket.on('error', reject)
    })
    expect([shown.checkHost('localhost'), shown.checkHost('kubernetes.default.svc')]).toEqual([
      'localhost',
      'kubernetes.default.svc',
    ])
    expect([shown.checkIP('127.0.0.1'), shown.checkIP('::1')]).toEqual(['127.0.0.1', '::1'])
  })

  it('shows the certificate that it was given, and tells clients whom to trust', async () => {
    const authority = newAuthority(new Date())
    const { certificate, key } = newServerCertificate(authority, ['127.0.0.1'], new Date())
    await using cluster = await Cluster.start({
      tls: { cert: certificate, key, ca: authority.certificate },
      users: [{ name: 'jane' }],
    })
    expect(cluster.connection.caData).toBe(authority.certificate)
    expect(await me(cluster.connection)).toMatchObject({ username: 'kubernetes-admin' })
    expect(await me(cluster.connectionOf('jane'))).toMatchObject({ username: 'jane' })
  })

  it('listens where others reach it only with TLS', async () => {
    await expect(Cluster.start({ host: '0.0.0.0' })).rejects.toThrow('loopback only, not on "0.0.0.0". Add "tls: true"')
    await expect(Cluster.start({ host: '0.0.0.0', rbac: true, tls: false })).rejects.toThrow('loopback only')
    await using cluster = await Cluster.start({ host: '0.0.0.0', tls: true })
    expect(cluster.url).toMatch(/^https:\/\/127\.0\.0\.1:/)
    expect(await me(cluster.connection)).toMatchObject({ username: 'kubernetes-admin' })
  })

  it('stops at once, also with a connection that never began its handshake', async () => {
    const cluster = await Cluster.start({ tls: true })
    const silent = connectPlain(Number(new URL(cluster.url).port), '127.0.0.1')
    await new Promise((resolve) => silent.on('connect', resolve))
    const closed = new Promise((resolve) => silent.on('close', resolve).on('error', () => {}))
    await cluster.stop()
    await closed
  })

  it('survives clients that speak plain HTTP or nonsense', async () => {
    await using cluster = await Cluster.start({ tls: true })
    await expect(fetch(cluster.url.replace('https', 'http'))).rejects.toThrow()
    expect(await me(cluster.connection)).toMatchObject({ username: 'kubernetes-admin' })
  })
})
