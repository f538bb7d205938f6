/**
 * The door: who asks, as whom, and whether he may.
 * Guarantees: whatever passes has a user, and that user may do what is asked; where nobody is asked (an open cluster), everybody is
 * the administrator, unless he acts as somebody else.
 */
import { type Attributes, forbidden } from './attributes.ts'
import type { Authenticator, Peer, TokenAnswer } from './authenticator.ts'
import type { Authorizer } from './authorizer.ts'
import { Impersonation, type ImpersonationHeaders } from './impersonation.ts'
import type { TokenIssuer } from './service-account-token.ts'
import { TokenRefused } from './service-account-token.ts'
import { administrator, type User } from './user.ts'

export interface Visit {
  readonly attributes: Attributes
  readonly authorization: string | undefined
  readonly peer: Peer
  /** Empty when nobody is to be impersonated. */
  readonly impersonation: ImpersonationHeaders
}

export interface AccessOptions {
  readonly authorizer: Authorizer
  /** Undefined: nobody is asked who he is. */
  readonly authenticator: Authenticator | undefined
  readonly tokens: TokenIssuer
}

export class Access {
  readonly authorizer: Authorizer
  readonly tokens: TokenIssuer
  readonly #authenticator: Authenticator | undefined
  readonly #impersonation: Impersonation

  constructor({ authorizer, authenticator, tokens }: AccessOptions) {
    this.authorizer = authorizer
    this.tokens = tokens
    this.#authenticator = authenticator
    this.#impersonation = new Impersonation(authorizer)
  }

  /** Whether users have names of their own. */
  get asks(): boolean {
    return this.#authenticator !== undefined
  }

  /** Throws a 401, or the refusal to act as somebody else. */
  enter({ attributes, authorization, peer, impersonation }: Visit): User {
    const user = this.#authenticator
      ? this.#authenticator.authenticate(authorization, peer)
      : (peer.trusted ?? administrator)
    return impersonation.size === 0 ? user : this.#impersonation.apply(user, impersonation, attributes)
  }

  /** Throws a 403. */
  require(user: User, attributes: Attributes): void {
    const { allowed, reason } = this.authorizer.authorize(user, attributes)
    if (!allowed) throw forbidden(user, attributes, reason)
  }

  /** Throws TokenRefused. */
  review(token: string, audiences: readonly string[]): TokenAnswer {
    if (!this.#authenticator) throw new TokenRefused('invalid bearer token')
    return this.#authenticator.review(token, audiences)
  }
}
