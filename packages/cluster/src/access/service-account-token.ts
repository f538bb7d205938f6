/**
 * Tokens of service accounts: JSON web tokens that the cluster signs itself.
 * Guarantees: a token counts while it is neither expired nor from the future, and while its service account, and the pod, secret or
 * node that it is bound to, exist under the same uid; what is not exactly what was signed never counts.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
} from 'node:crypto'
import { isObject, type Json, type JsonObject, parseJson, printJson } from '../json.ts'
import { field, type Metadata } from '../object.ts'
import type { Storage } from '../storage/storage.ts'
import { keyOf } from '../storage/table.ts'
import { accountGroups, accountUserName, type User } from './user.ts'

export const issuer = 'https://kubernetes.default.svc'

export interface ObjectReference {
  readonly name: string
  readonly uid: string
}

/** What a token says of its account. */
export interface TokenClaims {
  readonly namespace: string
  readonly account: ObjectReference
  readonly audiences: readonly string[]
  readonly pod?: ObjectReference
  readonly secret?: ObjectReference
  readonly node?: ObjectReference
}

/** Why a token does not count, in the words of the original. */
export class TokenRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TokenRefused'
  }
}

/** A new key to sign with, PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

const base64 = (text: string) => Buffer.from(text).toString('base64url')
const leeway = 60

function headFor(key: string): string {
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const kid = createHash('sha256').update(publicKey).digest('base64url')
  return base64(printJson({ alg: 'ES256', kid }))
}

export class TokenIssuer {
  readonly #storage: Storage
  readonly #key: () => string
  #knownHead: string | undefined

  /** `key`: to sign with, PEM; asked for when the first token is issued or read. */
  constructor(storage: Storage, key: () => string) {
    this.#storage = storage
    this.#key = key
  }

  get #head(): string {
    this.#knownHead ??= headFor(this.#key())
    return this.#knownHead
  }

  issue(claims: TokenClaims, seconds: number, now: Date): string {
    const { namespace, account, audiences, pod, secret, node } = claims
    const at = Math.floor(now.getTime() / 1000)
    const payload = {
      aud: audiences,
      exp: at + seconds,
      iat: at,
      iss: issuer,
      jti: randomUUID(),
      'kubernetes.io': {
        namespace,
        ...(node ? { node } : {}),
        ...(pod ? { pod } : {}),
        ...(secret ? { secret } : {}),
        serviceaccount: account,
      },
      nbf: at,
      sub: accountUserName({ namespace, name: account.name }),
    }
    const signed = `${this.#head}.${base64(printJson(payload))}`
    const key = { key: createPrivateKey(this.#key()), dsaEncoding: 'ieee-p1363' as const }
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
  }

  /** Undefined: it is none of ours, somebody else may know it. Throws TokenRefused for one of ours that does not count. */
  verify(token: string, audiences: readonly string[], now: Date): { user: User; audiences: string[] } | undefined {
    const payload = this.#payloadOf(token)
    if (!payload || payload.iss !== issuer) return undefined
    checkTime(payload, now)
    const named = Array.isArray(payload.aud) ? payload.aud.filter((item: Json) => typeof item === 'string') : []
    const shared = audiences.filter((audience) => named.includes(audience))
    if (shared.length === 0) {
      const list = (items: readonly string[]) => `[${items.map((item) => JSON.stringify(item)).join(' ')}]`
      throw new TokenRefused(`token audiences ${list(named)} is invalid for the target audiences ${list(audiences)}`)
    }
    const claims = payload['kubernetes.io']
    return { user: this.#userOf(isObject(claims) ? claims : {}, String(payload.jti), now), audiences: shared }
  }

  #payloadOf(token: string): JsonObject | undefined {
    const [head, body, signature, ...rest] = token.split('.')
    if (head !== this.#head || body === undefined || signature === undefined || rest.length > 0) return undefined
    const key = { key: createPublicKey(this.#key()), dsaEncoding: 'ieee-p1363' as const }
    const bytes = Buffer.from(signature, 'base64url')
    // Buffer reads loosely; a token is only good in the spelling that was signed.
    if (bytes.toString('base64url') !== signature) return undefined
    if (!verify('sha256', Buffer.from(`${head}.${body}`), key, bytes)) return undefined
    const payload = parseJson(Buffer.from(body, 'base64url').toString())
    return isObject(payload) ? payload : undefined
  }

  #userOf(claims: JsonObject, jti: string, now: Date): User {
    const namespace = String(claims.namespace ?? '')
    const account = referenceIn(claims.serviceaccount)
    this.#checkAccount(namespace, account, now)
    const extra = new Map([['authentication.kubernetes.io/credential-id', [`JTI=${jti}`]]])
    const secret = claims.secret === undefined ? undefined : referenceIn(claims.secret)
    const pod = claims.pod === undefined ? undefined : referenceIn(claims.pod)
    const node = claims.node === undefined ? undefined : referenceIn(claims.node)
    if (secret) this.#checkBound('secrets', namespace, secret, now)
    if (pod) this.#checkBound('pods', namespace, pod, now)
    if (node && !pod) this.#checkBound('nodes', '', node, now)
    for (const [word, reference] of [
      ['node', node],
      ['pod', pod],
    ] as const) {
      if (!reference) continue
      extra.set(`authentication.kubernetes.io/${word}-name`, [reference.name])
      if (reference.uid !== '') extra.set(`authentication.kubernetes.io/${word}-uid`, [reference.uid])
    }
    const name = accountUserName({ namespace, name: account.name })
    return { name, uid: account.uid, groups: accountGroups(namespace), extra }
  }

  #checkAccount(namespace: string, { name, uid }: ObjectReference, now: Date): void {
    const found = this.#storage.table('/serviceaccounts').get(keyOf(namespace, name))?.object.metadata
    if (!found) throw new TokenRefused(`serviceaccounts "${name}" not found`)
    if (found.uid !== uid) throw new TokenRefused(`service account UID (${found.uid}) does not match claim (${uid})`)
    if (longDeleted(found, now)) throw new TokenRefused(`service account ${namespace}/${name} has been deleted`)
  }

  #checkBound(plural: BoundKind, namespace: string, { name, uid }: ObjectReference, now: Date): void {
    const found = this.#storage.table(`/${plural}`).get(keyOf(namespace, name))?.object.metadata
    if (!found) throw new TokenRefused(invalidated)
    if (found.uid === uid) {
      if (longDeleted(found, now)) throw new TokenRefused(invalidated)
      return
    }
    const word = plural.slice(0, -1)
    throw new TokenRefused(`${word} UID (${found.uid}) does not match service account ${word} ref claim (${uid})`)
  }
}

type BoundKind = 'pods' | 'secrets' | 'nodes'

const invalidated = 'service account token has been invalidated'

/** What waits for its finalizers counts for a minute longer. */
function longDeleted({ deletionTimestamp }: Metadata, now: Date): boolean {
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) / 1000 < now.getTime() / 1000 - leeway
}

function referenceIn(value: Json | undefined): ObjectReference {
  return { name: String(field(value, 'name') ?? ''), uid: String(field(value, 'uid') ?? '') }
}

function checkTime({ exp, nbf, iat }: JsonObject, now: Date): void {
  const at = now.getTime() / 1000
  if (typeof exp !== 'number' || at > exp + leeway) throw new TokenRefused('service account token has expired')
  if (typeof nbf === 'number' && at + leeway < nbf) throw new TokenRefused('service account token is not valid yet')
  if (typeof iat === 'number' && at + leeway < iat) {
    throw new TokenRefused('service account token is issued in the future')
  }
}
