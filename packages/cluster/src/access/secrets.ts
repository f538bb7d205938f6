/** What the cluster keeps to itself: the key of its authority, the key that signs tokens, the tokens of its users. */
import { randomBytes } from 'node:crypto'
import { isObject, type JsonObject } from '../json.ts'
import { type KeyPair, newAuthority } from './certificate.ts'
import { newSigningKey } from './service-account-token.ts'

export interface Secrets {
  readonly authority: KeyPair
  readonly signingKey: string
  /** Tokens that were made up, by the user's name. Users come and go; a name keeps its token. */
  readonly tokens: Map<string, string>
}

/** Never from a seed: what can be guessed is no secret. Keys are made when they are first asked for: a cluster in process needs none. */
export function newSecrets(now: Date): Secrets {
  let authority: KeyPair | undefined
  let signingKey: string | undefined
  return {
    get authority() {
      authority ??= newAuthority(now)
      return authority
    },
    get signingKey() {
      signingKey ??= newSigningKey()
      return signingKey
    },
    tokens: new Map(),
  }
}

/** Letters and digits behind a letter: what a kubeconfig can show without quotes, and the simplest reader finds. */
export function tokenOf(secrets: Secrets, name: string): string {
  const token = secrets.tokens.get(name) ?? `t${randomBytes(24).toString('hex')}`
  secrets.tokens.set(name, token)
  return token
}

export const savedSecrets = ({ authority, signingKey, tokens }: Secrets): JsonObject => ({
  authority: { key: authority.key, certificate: authority.certificate },
  signingKey,
  tokens: Object.fromEntries(tokens),
})

/** Undefined when they are not complete. */
export function secretsIn({ authority, signingKey, tokens }: JsonObject): Secrets | undefined {
  if (!isObject(authority) || typeof signingKey !== 'string' || !isObject(tokens)) return undefined
  const { key, certificate } = authority
  if (typeof key !== 'string' || typeof certificate !== 'string') return undefined
  const known = Object.entries(tokens).map(([name, token]) => [name, String(token)] as const)
  return { authority: { key, certificate }, signingKey, tokens: new Map(known) }
}
