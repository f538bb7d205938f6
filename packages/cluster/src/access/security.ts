/**
 * Everything about who gets in, put together from the options: secrets, users, the authorizer, what the listener shows over TLS.
 * Guarantees: the credentials that it hands out are those that it accepts; nobody is given credentials over a connection on which
 * everybody is let in anyway.
 */
import { hostname, networkInterfaces } from 'node:os'
import type { Clock } from '../clock.ts'
import { realClock } from '../clock.ts'
import type { ClusterUser, TlsFiles } from '../cluster-options.ts'
import type { TlsMaterial } from '../http/listener.ts'
import type { Storage } from '../storage/storage.ts'
import { keyOf } from '../storage/table.ts'
import { Access } from './access.ts'
import { Authenticator, type KnownToken } from './authenticator.ts'
import { alwaysAllow } from './authorizer.ts'
import { type KeyPair, newClientCertificate, newServerCertificate } from './certificate.ts'
import type { Connection } from './kubeconfig.ts'
import { Rbac } from './rbac.ts'
import { type Secrets, tokenOf } from './secrets.ts'
import { issuer, TokenIssuer } from './service-account-token.ts'
import { accountOf, mastersGroup } from './user.ts'

export interface SecurityOptions {
  readonly tls: boolean | TlsFiles
  readonly rbac: boolean
  readonly users: readonly ClusterUser[]
  readonly anonymous: boolean
  readonly clock: Clock
  readonly storage: Storage
  readonly secrets: Secrets
}

/** Who is meant by no name. */
export const adminName = 'kubernetes-admin'
const admin: ClusterUser = { name: adminName, groups: [mastersGroup] }

const accountTokenSeconds = 365 * 24 * 3600

export class Security {
  readonly access: Access
  readonly #options: SecurityOptions
  readonly #tokens: TokenIssuer
  readonly #users: ReadonlyMap<string, ClusterUser>
  /** Issued so far: a user keeps his certificate as long as the cluster runs. */
  readonly #certificates = new Map<string, KeyPair>()

  constructor(options: SecurityOptions) {
    this.#options = options
    const { storage, secrets, clock, rbac, users, anonymous } = options
    this.#users = new Map([admin, ...users].map((user) => [user.name, user]))
    this.#tokens = new TokenIssuer(storage, () => secrets.signingKey)
    const known = { clock, tokens: this.#known(), issuer: this.#tokens, anonymous }
    this.access = new Access({
      authorizer: rbac ? new Rbac(storage) : alwaysAllow,
      authenticator: this.asks ? new Authenticator(known) : undefined,
      tokens: this.#tokens,
    })
  }

  /** Whether anybody is asked who he is. */
  get asks(): boolean {
    const { tls, rbac, users } = this.#options
    return tls !== false || rbac || users.length > 0
  }

  /** The certificate that clients are to trust, PEM. */
  get authority(): string {
    const { tls, secrets } = this.#options
    return typeof tls === 'object' ? tls.ca : secrets.authority.certificate
  }

  #known(): readonly KnownToken[] {
    return [...this.#users.values()]
      .filter((user) => user === admin || !this.#byCertificate(user))
      .map((user) => ({ token: this.#tokenOf(user), user: { groups: [], ...user } }))
  }

  #tokenOf({ name, token }: ClusterUser): string {
    return token ?? tokenOf(this.#options.secrets, name)
  }

  /** The administrator as kubeadm does it; without TLS there are no certificates. */
  #byCertificate({ name, signIn }: ClusterUser): boolean {
    return this.#options.tls !== false && (signIn ?? (name === adminName ? 'certificate' : 'token')) === 'certificate'
  }

  /** What the listener needs; undefined for plain HTTP. */
  tlsMaterial(host: string): TlsMaterial | undefined {
    const { tls, secrets } = this.#options
    if (tls === false) return undefined
    const clientCa = secrets.authority.certificate
    if (tls !== true) return { cert: tls.cert, key: tls.key, clientCa }
    // TLS is between this process and others: it lives in real time, whatever the cluster's clock says.
    const { certificate, key } = newServerCertificate(secrets.authority, namesFor(host), realClock.now())
    return { cert: certificate, key, clientCa }
  }

  /** How a user reaches the server: the administrator, one of the users, or a service account by its user name. */
  connection(server: string, name: string = adminName): Connection {
    if (!this.asks) return { server, insecure: true }
    const { tls, secrets } = this.#options
    const ca = tls === false ? undefined : tls === true ? secrets.authority.certificate : tls.ca
    const trust = ca === undefined ? { insecure: true } : { caData: ca }
    return { server, ...trust, ...this.#credentials(name) }
  }

  /** As connection, and for the administrator both ways to sign in: not every program that reads a kubeconfig can show a certificate. */
  written(server: string, name: string): Connection {
    const connection = this.connection(server, name)
    return this.asks && name === adminName ? { ...connection, token: this.#tokenOf(admin) } : connection
  }

  #credentials(name: string): Partial<Connection> {
    const user = this.#users.get(name)
    if (!user) return { token: this.#accountToken(name) }
    if (!this.#byCertificate(user)) return { token: this.#tokenOf(user) }
    const subject = { commonName: name, organizations: user.groups ?? [] }
    const { authority } = this.#options.secrets
    const pair = this.#certificates.get(name) ?? newClientCertificate(authority, subject, realClock.now())
    this.#certificates.set(name, pair)
    return { certificateData: pair.certificate, privateKeyData: pair.key }
  }

  #accountToken(userName: string): string {
    const account = accountOf(userName)
    const { storage, clock } = this.#options
    if (!account) {
      const known = [...this.#users.keys()].join(', ')
      throw new Error(
        `No user "${userName}" in this cluster: name one of ${known}, add it to "users", or give a service account as system:serviceaccount:NAMESPACE:NAME.`,
      )
    }
    const { namespace, name } = account
    const uid = storage.table('/serviceaccounts').get(keyOf(namespace, name))?.object.metadata.uid
    if (uid === undefined) throw new Error(`No service account "${name}" in namespace "${namespace}": create it first.`)
    const claims = { namespace, account: { name, uid }, audiences: [issuer] }
    return this.#tokens.issue(claims, accountTokenSeconds, clock.now())
  }
}

const everywhere = new Set(['0.0.0.0', '::'])

/** Every name and address by which a server that listens there may be called. */
function namesFor(host: string): readonly string[] {
  const inside = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const outside = everywhere.has(host) ? [hostname(), ...addresses.map(({ address }) => address)] : [host]
  return [...new Set(['localhost', '127.0.0.1', '::1', ...outside, ...inside])]
}
