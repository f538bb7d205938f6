/**
 * The directory of one control plane: certificates, tokens, kubeconfigs, data, logs.
 *
 * Guarantees: on a directory that was used before, certificates, tokens and data stay as they are, so that a restart is
 * a restart. Files are readable by their owner alone.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newAuthority, newCertificate, newSigningKey } from './certificates.mjs'

const SERVER_NAMES = [
  '127.0.0.1',
  '10.96.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
]

/** @typedef {{ readonly api: number, readonly etcd: number, readonly etcdPeer: number }} Ports */
/**
 * @typedef {object} Files
 * @property {string} dir
 * @property {string} kubeconfig of an administrator
 * @property {string} userKubeconfig of a user without any rights
 * @property {string} ca the certificate authority, PEM
 * @property {string} token of the administrator
 */

/** @param {string} path @param {string} content */
const write = (path, content) => writeFileSync(path, content, { mode: 0o600 })

/** @param {string} dir */
function writeSecrets(dir) {
  const authority = newAuthority('control-plane-ca')
  const server = newCertificate(authority, { commonName: 'kube-apiserver' }, { use: 'server', hosts: SERVER_NAMES })
  const signing = newSigningKey()
  const [admin, user] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')]
  write(join(dir, 'server.crt'), server.certificate)
  write(join(dir, 'server.key'), server.key)
  write(join(dir, 'service-account.key'), signing.key)
  write(join(dir, 'service-account.pub'), signing.publicKey)
  write(join(dir, 'tokens.csv'), `${admin},admin,admin-uid,"system:masters"\n${user},jane,jane-uid,"devs"\n`)
  // Last, because its presence says that all the others are there.
  write(join(dir, 'ca.crt'), authority.certificate)
}

/** @param {string} server @param {string} ca @param {string} token */
function kubeconfigText(server, ca, token) {
  return `apiVersion: v1
kind: Config
current-context: main
clusters:
- name: main
  cluster:
    server: ${server}
    certificate-authority-data: ${Buffer.from(ca).toString('base64')}
users:
- name: main
  user:
    token: ${token}
contexts:
- name: main
  context: {cluster: main, user: main, namespace: default}
`
}

/**
 * @param {string} dir @param {Ports} ports
 * @returns {Files}
 */
export function prepareFiles(dir, ports) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (!existsSync(join(dir, 'ca.crt'))) writeSecrets(dir)
  const ca = readFileSync(join(dir, 'ca.crt'), 'utf8')
  const tokens = readFileSync(join(dir, 'tokens.csv'), 'utf8').split('\n')
  const [token = '', userToken = ''] = tokens.map((line) => line.slice(0, line.indexOf(',')))
  const files = { dir, ca, token, kubeconfig: join(dir, 'kubeconfig'), userKubeconfig: join(dir, 'kubeconfig-user') }
  const server = `https://127.0.0.1:${ports.api}`
  write(files.kubeconfig, kubeconfigText(server, ca, token))
  write(files.userKubeconfig, kubeconfigText(server, ca, userToken))
  return files
}
