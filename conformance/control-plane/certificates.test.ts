import { X509Certificate } from 'node:crypto'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { newAuthority, newCertificate, newSigningKey } from './certificates.mjs'

const authority = newAuthority('test-ca')
const server = newCertificate(authority, { commonName: 'api' }, { use: 'server', hosts: ['127.0.0.1', 'localhost'] })

/** Who the server says the client is, after a handshake in which both sides checked each other. */
async function greet(client: { key: string; certificate: string }, ca: string): Promise<string> {
  const listening = createServer(
    {
      key: server.key,
      cert: server.certificate,
      ca: authority.certificate,
      requestCert: true,
      rejectUnauthorized: true,
    },
    (req, res) => {
      const { O, CN } = (req.socket as import('node:tls').TLSSocket).getPeerCertificate().subject
      res.end(`${O}/${CN}`)
    },
  )
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  try {
    return await new Promise((resolve, reject) => {
      const options = { port: (listening.address() as AddressInfo).port, host: '127.0.0.1', agent: false as const }
      request({ ...options, ca, key: client.key, cert: client.certificate }, (res) => {
        res.setEncoding('utf8').on('data', resolve)
      })
        .on('error', reject)
        .end()
    })
  } finally {
    listening.closeAllConnections()
    await new Promise((resolve) => listening.close(resolve))
  }
}

it('makes certificates that both sides of a TLS connection accept', async () => {
  const client = newCertificate(authority, { commonName: 'admin', organization: 'system:masters' }, { use: 'client' })
  expect(await greet(client, authority.certificate)).toBe('system:masters/admin')
})

it('makes certificates that another authority does not vouch for', async () => {
  const client = newCertificate(authority, { commonName: 'admin' }, { use: 'client' })
  await expect(greet(client, newAuthority('test-ca').certificate)).rejects.toThrow()
})

it('says what a certificate is for', () => {
  const ca = new X509Certificate(authority.certificate)
  const leaf = new X509Certificate(server.certificate)
  expect(ca.ca).toBe(true)
  expect(ca.verify(ca.publicKey)).toBe(true)
  expect(leaf.ca).toBe(false)
  expect(leaf.checkIssued(ca)).toBe(true)
  expect(leaf.verify(ca.publicKey)).toBe(true)
  expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1')
  expect(leaf.checkHost('localhost')).toBe('localhost')
  expect(leaf.checkHost('example.com')).toBeUndefined()
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
})

it('writes the signing key in the form that kube-apiserver reads', () => {
  const { key, publicKey } = newSigningKey()
  expect(key).toContain('BEGIN EC PRIVATE KEY')
  expect(publicKey).toContain('BEGIN PUBLIC KEY')
})
