/**
 * Who asks, by what the request brings along: a client certificate, a bearer token, or nothing.
 * Guarantees: credentials that are wrong are refused, also where no credentials would do; tokens are compared by their digests, so
 * that the time it takes tells nothing about them.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { unauthorized } from '../http/status.ts'
import { issuer, type TokenIssuer, TokenRefused } from './service-account-token.ts'
import { anonymous, authenticated, type User } from './user.ts'

/** What the connection tells of whoever is at its other end. */
export interface Peer {
  /** Known without asking: whoever holds the cluster itself speaks for this user. */
  readonly trusted?: User
  /** Shown in the handshake; valid when it was signed by the cluster's authority and is in date. */
  readonly certificate?: ClientCertificate
}

export interface ClientCertificate {
  readonly valid: boolean
  readonly commonName: string
  readonly organizations: readonly string[]
}

export interface KnownToken {
  readonly token: string
  readonly user: User
}

export interface TokenAnswer {
  readonly user: User
  readonly audiences: readonly string[]
}

export interface AuthenticatorOptions {
  readonly clock: Clock
  readonly tokens: readonly KnownToken[]
  readonly issuer: TokenIssuer
  /** Whether somebody without credentials is system:anonymous; else he is refused. */
  readonly anonymous: boolean
}

const digest = (token: string) => createHash('sha256').update(token).digest('base64')

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #users: ReadonlyMap<string, User>

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#users = new Map(options.tokens.map(({ token, user }) => [digest(token), authenticated(user)]))
  }

  /** Throws the 401 that the original answers with. */
  authenticate(authorization: string | undefined, peer: Peer): User {
    const byCertificate = certified(peer.certificate)
    if (byCertificate) return byCertificate
    const token = bearer(authorization)
    if (token !== undefined) return this.#byToken(token)
    if (peer.certificate && !peer.certificate.valid) throw unauthorized()
    if (peer.trusted) return peer.trusted
    if (this.#options.anonymous) return anonymous
    throw unauthorized()
  }

  #byToken(token: string): User {
    try {
      return this.review(token, [issuer]).user
    } catch (error) {
      if (error instanceof TokenRefused) throw unauthorized()
      throw error
    }
  }

  /** Whose token it is, for these audiences. Throws TokenRefused with the words of a TokenReview. */
  review(token: string, audiences: readonly string[]): TokenAnswer {
    const known = this.#users.get(digest(token))
    if (known && audiences.includes(issuer)) return { user: known, audiences: [issuer] }
    try {
      const found = this.#options.issuer.verify(token, audiences, this.#options.clock.now())
      if (found) return { user: authenticated(found.user), audiences: found.audiences }
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      throw new TokenRefused(`[invalid bearer token, ${error.message}]`)
    }
    throw new TokenRefused('invalid bearer token')
  }
}

function certified(certificate: ClientCertificate | undefined): User | undefined {
  if (!certificate?.valid || certificate.commonName === '') return undefined
  return authenticated({ name: certificate.commonName, groups: certificate.organizations })
}

function bearer(authorization: string | undefined): string | undefined {
  const [scheme = '', token = ''] = (authorization ?? '').trim().split(' ')
  return scheme.toLowerCase() === 'bearer' && token !== '' ? token : undefined
}
