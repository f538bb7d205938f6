/**
 * The certificates of a throw-away control plane, without openssl: just enough of X.509 on top of node:crypto.
 *
 * Guarantees: keys are P-256 and never leave the caller; certificates are valid for a year from an hour ago.
 * Does not guarantee: fitness for anything but a server on loopback that lives for the length of a test run.
 */
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS

const OID = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
}

/** Bit strings as X.509 counts them, the first bit is the highest; the number of unused low bits goes beside them. */
const KEY_USAGE = { digitalSignature: 0x80, signCertificates: 0x06 }

/** @typedef {{ readonly commonName: string, readonly organization?: string }} Subject */
/** @typedef {{ readonly key: string, readonly certificate: string }} Pair a private key and its certificate, both PEM */
/** @typedef {Pair & { readonly subject: Subject }} Authority */

/**
 * One DER value: a tag, a length, the content.
 * @param {number} tag @param {...Uint8Array} content
 */
function der(tag, ...content) {
  const body = Buffer.concat(content)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

const sequence = (/** @type {Uint8Array[]} */ ...items) => der(0x30, ...items)
const octets = (/** @type {Uint8Array} */ value) => der(0x04, value)
const bits = (/** @type {Uint8Array} */ value, unused = 0) => der(0x03, Buffer.from([unused]), value)
const text = (/** @type {string} */ value) => der(0x0c, Buffer.from(value))
const yes = der(0x01, Buffer.from([0xff]))

/** @param {string} dotted */
function oid(dotted) {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const number of rest) {
    const groups = [number & 0x7f]
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return der(0x06, Buffer.from(bytes))
}

/** @param {number} milliseconds */
function time(milliseconds) {
  const digits = new Date(milliseconds).toISOString().replace(/[-:T]|\.\d+/g, '')
  return der(0x17, Buffer.from(digits.slice(2)))
}

/** @param {Subject} subject */
function name({ commonName, organization }) {
  const part = (/** @type {string} */ id, /** @type {string} */ value) => der(0x31, sequence(oid(id), text(value)))
  const group = organization === undefined ? [] : [part(OID.organization, organization)]
  return sequence(...group, part(OID.commonName, commonName))
}

/** @param {string} id @param {Uint8Array} value @param {boolean} [critical] */
function extension(id, value, critical = false) {
  return sequence(oid(id), ...(critical ? [yes] : []), octets(value))
}

/** @param {readonly string[]} hosts names, and IPv4 addresses */
function alternativeNames(hosts) {
  const entries = hosts.map((host) =>
    /^\d+(\.\d+){3}$/.test(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  )
  return extension(OID.subjectAltName, sequence(...entries))
}

/** @param {Uint8Array} publicKey */
const keyIdentifier = (publicKey) => createHash('sha1').update(publicKey).digest()

function newKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
  }
}

/**
 * @param {Subject} subject @param {Buffer} publicKey @param {readonly Uint8Array[]} extensions
 * @param {{ readonly subject: Subject, readonly key: string }} issuer
 * @returns {string} PEM
 */
function signedCertificate(subject, publicKey, extensions, issuer) {
  const algorithm = sequence(oid(OID.ecdsaWithSha256))
  // The first bit stays clear: a serial number is positive.
  const serial = randomBytes(16)
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40
  const contents = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    algorithm,
    name(issuer.subject),
    sequence(time(Date.now() - HOUR_MS), time(Date.now() + YEAR_MS)),
    name(subject),
    publicKey,
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', contents, createPrivateKey(issuer.key))
  const lines =
    sequence(contents, algorithm, bits(signature))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/**
 * @param {string} commonName
 * @returns {Authority} a certificate authority that signs itself
 */
export function newAuthority(commonName) {
  const subject = { commonName }
  const { key, publicKey } = newKey()
  const extensions = [
    extension(OID.basicConstraints, sequence(yes), true),
    extension(OID.keyUsage, bits(Buffer.from([KEY_USAGE.signCertificates]), 1), true),
    extension(OID.subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
  ]
  return { subject, key, certificate: signedCertificate(subject, publicKey, extensions, { subject, key }) }
}

/**
 * @param {Authority} authority @param {Subject} subject
 * @param {{ readonly use: 'server', readonly hosts: readonly string[] } | { readonly use: 'client' }} purpose
 * @returns {Pair}
 */
export function newCertificate(authority, subject, purpose) {
  const { key, publicKey } = newKey()
  const extensions = [
    extension(OID.keyUsage, bits(Buffer.from([KEY_USAGE.digitalSignature]), 7), true),
    extension(OID.extendedKeyUsage, sequence(oid(purpose.use === 'server' ? OID.serverAuth : OID.clientAuth))),
    extension(OID.subjectKeyIdentifier, octets(keyIdentifier(publicKey))),
    ...(purpose.use === 'server' ? [alternativeNames(purpose.hosts)] : []),
  ]
  return { key, certificate: signedCertificate(subject, publicKey, extensions, authority) }
}

/** The key pair that signs service account tokens. @returns {{ readonly key: string, readonly publicKey: string }} both PEM */
export function newSigningKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    // kube-apiserver reads SEC 1 keys here, as openssl ecparam writes them.
    key: privateKey.export({ type: 'sec1', format: 'pem' }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}
