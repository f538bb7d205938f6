import { X509Certificate } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newAuthority, newClientCertificate, newServerCertificate } from './certificate.ts'
import { integer, objectIdentifier, octets, time } from './der.ts'

const now = new Date('2026-03-01T12:00:00Z')
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('DER', () => {
  it.each([
    ['1.2.840.10045.4.3.2', '06082a8648ce3d040302'],
    ['2.5.29.17', '0603551d11'],
    ['1.3.6.1.5.5.7.3.1', '06082b06010505070301'],
  ])('writes the object identifier %s as %s', (dotted, bytes) => expect(hex(objectIdentifier(dotted))).toBe(bytes))

  it.each([
    ['00', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['0001', '020101'],
    ['00ff', '020200ff'],
  ])('writes the number %s as %s: never negative, never longer than needed', (number, bytes) =>
    expect(hex(integer(Buffer.from(number, 'hex')))).toBe(bytes),
  )

  it.each([
    ['2026-01-02T03:04:05.678Z', '170d3236303130323033303430355a'],
    ['2050-01-01T00:00:00Z', '180f32303530303130313030303030305a'],
  ])('writes the time %s as %s', (date, bytes) => expect(hex(time(new Date(date)))).toBe(bytes))

  it.each([
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_536, '0483010000'],
  ])('writes a length of %d as %s', (length, head) =>
    expect(hex(octets(Buffer.alloc(length))).slice(0, head.length)).toBe(head),
  )
})

describe('certificates', () => {
  const authority = newAuthority(now)
  const root = new X509Certificate(authority.certificate)

  it('of an authority sign themselves, and may sign others', () => {
    expect(root.ca).toBe(true)
    expect(root.verify(root.publicKey)).toBe(true)
    expect([root.validFrom, root.validTo]).toEqual(['Mar  1 11:00:00 2026 GMT', 'Feb 27 12:00:00 2036 GMT'])
  })

  it('of a server name all hosts, addresses of both kinds among them', () => {
    const hosts = [
      'localhost',
      '127.0.0.1',
      '::1',
      'fe80::1:2',
      '2001:db8:1:2:3:4:5:6',
      '::ffff:1.2.3.4',
      'a.example.com',
    ]
    const server = new X509Certificate(newServerCertificate(authority, hosts, now).certificate)
    expect(server.checkIssued(root)).toBe(true)
    expect(server.verify(root.publicKey)).toBe(true)
    expect(server.ca).toBe(false)
    expect([
      server.checkHost('localhost'),
      server.checkHost('a.example.com'),
      server.checkHost('b.example.com'),
    ]).toEqual(['localhost', 'a.example.com', undefined])
    for (const host of ['127.0.0.1', '::1', 'fe80::1:2', '2001:db8:1:2:3:4:5:6'])
      expect(server.checkIP(host)).toBe(host)
    expect(server.subjectAltName).toContain('IP Address:0:0:0:0:0:FFFF:102:304')
    expect(server.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  })

  it('of a user say his name and his groups, whatever letters they have (property)', () => {
    const word = fc
      .string({ minLength: 1, maxLength: 200, unit: fc.constantFrom(...'abcé:/ -_.漢') })
      .filter((text) => text.trim() === text)
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 3 }), (commonName, organizations) => {
        const pair = newClientCertificate(authority, { commonName, organizations }, now)
        const certificate = new X509Certificate(pair.certificate)
        expect(certificate.verify(root.publicKey)).toBe(true)
        const { subject } = certificate.toLegacyObject()
        expect([subject?.CN, [subject?.O ?? []].flat()]).toEqual([commonName, organizations])
      }),
      { numRuns: 30 },
    )
  })

  it('of another authority are not taken for ours', () => {
    const other = newAuthority(now)
    const stranger = new X509Certificate(newClientCertificate(other, { commonName: 'x' }, now).certificate)
    expect(stranger.verify(root.publicKey)).toBe(false)
  })

  it('never have the same number', () => {
    const numbers = Array.from({ length: 20 }, () => newClientCertificate(authority, { commonName: 'x' }, now)).map(
      ({ certificate }) => new X509Certificate(certificate).serialNumber,
    )
    expect(new Set(numbers).size).toBe(20)
  })
})
