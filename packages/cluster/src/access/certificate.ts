/**
 * Certificates of X.509 version 3, as the cluster needs them: an authority, its server, its users.
 * Guarantees: keys are P-256; a serial number has 127 random bits; what is written is read by OpenSSL and Go.
 * Does not guarantee: anything beyond the life of a cluster for development: there is no revocation, and no rotation.
 */
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import { bits, explicit, implicit, integer, objectIdentifier, octets, sequence, set, text, time, yes } from './der.ts'

const commonName = '2.5.4.3'
const organization = '2.5.4.10'
const ecdsaWithSha256 = '1.2.840.10045.4.3.2'
const serverAuth = '1.3.6.1.5.5.7.3.1'
const clientAuth = '1.3.6.1.5.5.7.3.2'

const hour = 3_600_000
const year = 365 * 24 * hour

export interface CertificateSubject {
  readonly commonName: string
  readonly organizations?: readonly string[]
}

/** A private key and its certificate, both PEM. */
export interface KeyPair {
  readonly key: string
  readonly certificate: string
}

interface Request {
  readonly subject: CertificateSubject
  readonly extensions: readonly Uint8Array[]
  readonly years: number
  readonly now: Date
}

interface Issuer {
  readonly subject: CertificateSubject
  readonly key: string
  readonly keyIdentifier: Uint8Array
}

/** Every authority of ours has this name: who knows its certificate knows its subject. */
const authoritySubject: CertificateSubject = { commonName: 'binnacle-cluster-ca' }

/** An authority that signs itself. */
export function newAuthority(now: Date): KeyPair {
  const { key, publicKey } = newKey()
  const extensions = [
    extension('2.5.29.19', sequence(yes), true),
    extension('2.5.29.15', bits(Buffer.from([0x06]), 1), true),
  ]
  const issuer = { subject: authoritySubject, key, keyIdentifier: identifierOf(publicKey) }
  return { key, certificate: signed({ subject: authoritySubject, extensions, years: 10, now }, publicKey, issuer) }
}

/** For a server that is reached by these names and addresses. */
export function newServerCertificate(authority: KeyPair, hosts: readonly string[], now: Date): KeyPair {
  const extensions = [...leaf(serverAuth), extension('2.5.29.17', sequence(...hosts.map(alternativeName)))]
  return issued(authority, { subject: { commonName: 'kube-apiserver' }, extensions, years: 1, now })
}

/** For a user: the common name is his name, the organizations are his groups. */
export function newClientCertificate(authority: KeyPair, subject: CertificateSubject, now: Date): KeyPair {
  return issued(authority, { subject, extensions: leaf(clientAuth), years: 1, now })
}

function issued(authority: KeyPair, request: Request): KeyPair {
  const { key, publicKey } = newKey()
  const known = createPublicKey(authority.key).export({ type: 'spki', format: 'der' })
  const issuer = { subject: authoritySubject, key: authority.key, keyIdentifier: identifierOf(known) }
  return { key, certificate: signed(request, publicKey, issuer) }
}

function signed({ subject, extensions, years, now }: Request, publicKey: Uint8Array, issuer: Issuer): string {
  const algorithm = sequence(objectIdentifier(ecdsaWithSha256))
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const identifiers = [
    extension('2.5.29.14', octets(identifierOf(publicKey))),
    extension('2.5.29.35', sequence(implicit(0, issuer.keyIdentifier))),
  ]
  const contents = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    nameOf(issuer.subject),
    // An hour back, for machines whose clocks differ.
    sequence(time(new Date(now.getTime() - hour)), time(new Date(now.getTime() + years * year))),
    nameOf(subject),
    publicKey,
    explicit(3, sequence(...extensions, ...identifiers)),
  )
  const signature = sign('sha256', contents, createPrivateKey(issuer.key))
  return pem('CERTIFICATE', sequence(contents, algorithm, bits(signature)))
}

function nameOf({ commonName: name, organizations = [] }: CertificateSubject): Uint8Array {
  const part = (id: string, value: string) => set(sequence(objectIdentifier(id), text(value)))
  return sequence(...organizations.map((group) => part(organization, group)), part(commonName, name))
}

const leaf = (use: string) => [
  extension('2.5.29.19', sequence(), true),
  extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true),
  extension('2.5.29.37', sequence(objectIdentifier(use))),
]

function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  return sequence(objectIdentifier(id), ...(critical ? [yes] : []), octets(value))
}

function alternativeName(host: string): Uint8Array {
  if (isIPv4(host)) return implicit(7, Buffer.from(host.split('.').map(Number)))
  return isIPv6(host) ? implicit(7, addressBytes(host)) : implicit(2, Buffer.from(host))
}

/** The sixteen bytes of an IPv6 address; :: stands for as many zeros as are missing. */
function addressBytes(host: string): Uint8Array {
  const plain = host.replace(/%.*$/, '').replace(/\d+(?:\.\d+){3}$/, (v4) => {
    const [a = 0, b = 0, c = 0, d = 0] = v4.split('.').map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  })
  const [head = '', tail] = plain.split('::')
  const words = (part: string) => (part === '' ? [] : part.split(':'))
  const zeros = tail === undefined ? 0 : 8 - words(head).length - words(tail).length
  const all = [...words(head), ...Array.from({ length: zeros }, () => '0'), ...words(tail ?? '')]
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex')
}

const identifierOf = (publicKey: Uint8Array): Uint8Array => createHash('sha1').update(publicKey).digest()

function newKey(): { readonly key: string; readonly publicKey: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
  }
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
