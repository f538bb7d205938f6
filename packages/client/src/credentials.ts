import { readFile } from 'node:fs/promises'
import { KubeConfigError, LoginError, messageOf, type Runtime } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'
import type { Transport, TransportRequest } from './transport.ts'

/**
 * Who we are: the Authorization header of each request, and the client certificate if a program printed one.
 * Guarantees: a token file is read again as it rotates, and at once when the server refuses the token; no message holds a secret.
 */
export interface Credentials {
  /** The same object as long as nothing has changed. */
  identity(signal: AbortSignal): Promise<Identity>
  /** The server has refused `used`: is there another one by now? */
  renewed(used: Identity, signal: AbortSignal): Promise<boolean>
}

export interface Identity {
  /** The value of the Authorization header. */
  readonly authorization?: string
  readonly cert?: Buffer
  readonly key?: Buffer
}

/** Seconds for which a file is not looked at again. Kubernetes rotates long before a token or certificate expires. */
export const FILE_AGE = 10

export function credentialsOf(connection: ConnectionInfo, runtime: Runtime): Credentials {
  const scheme = connection.scheme ?? 'Bearer'
  if (connection.tokenPath !== undefined) return new TokenFile(connection.tokenPath, scheme, connection.token, runtime)
  const authorization = fixedAuthorization(connection, scheme)
  const identity = authorization === undefined ? {} : { authorization }
  return { identity: async () => identity, renewed: async () => false }
}

/** Whether somebody could read who we are from what we send. */
export function hasSecrets({ token, tokenPath, username, exec }: ConnectionInfo): boolean {
  return [token, tokenPath, username, exec].some((given) => given !== undefined)
}

/** A program is asked only when nothing else says who we are; so does kubectl. */
export function needsProgram({ token, tokenPath, username }: ConnectionInfo): boolean {
  return token === undefined && tokenPath === undefined && username === undefined
}

function fixedAuthorization({ token, username, password }: ConnectionInfo, scheme: string): string | undefined {
  if (token !== undefined) return `${scheme} ${checked(token.trim(), 'the token')}`
  if (username === undefined) return undefined
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`
}

class TokenFile implements Credentials {
  readonly #path: string
  readonly #scheme: string
  readonly #runtime: Runtime
  #identity: Identity | undefined
  #readAt = Number.NEGATIVE_INFINITY

  constructor(path: string, scheme: string, fallback: string | undefined, runtime: Runtime) {
    this.#path = path
    this.#scheme = scheme
    this.#runtime = runtime
    if (fallback !== undefined) this.#take(fallback)
  }

  async identity(signal: AbortSignal): Promise<Identity> {
    if (this.#runtime.clock.monotonic() - this.#readAt >= FILE_AGE) await this.#read(signal)
    return this.#identity ?? {}
  }

  async renewed(used: Identity, signal: AbortSignal): Promise<boolean> {
    await this.#read(signal)
    return this.#identity?.authorization !== used.authorization
  }

  /** Keeps the last good token when the file is gone for a moment, as while it is being replaced. */
  async #read(signal: AbortSignal): Promise<void> {
    try {
      this.#take((await readFile(this.#path, { encoding: 'utf8', signal })).trim())
      this.#readAt = this.#runtime.clock.monotonic()
    } catch (error) {
      signal.throwIfAborted()
      if (this.#identity === undefined) throw unreadableToken(this.#path, error)
      // Not looked at again with each request, and not warned of with each.
      this.#readAt = this.#runtime.clock.monotonic()
      this.#runtime.logger.warn(`The token file cannot be read; the last token stays in use`, { path: this.#path })
    }
  }

  #take(token: string): void {
    const authorization = `${this.#scheme} ${checked(token, this.#path)}`
    if (authorization !== this.#identity?.authorization) this.#identity = { authorization }
  }
}

/** A header cannot carry line breaks: such a token is a damaged one, and must not appear in the message that says so. */
function checked(token: string, source: string): string {
  if (/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(token)) return token
  throw new KubeConfigError({
    message: `${token === '' ? 'There is nothing' : 'There is no valid token'} in ${source}`,
    hint: 'A token is one line of printable ASCII characters.',
  })
}

function unreadableToken(path: string, error: unknown): LoginError {
  if (error instanceof KubeConfigError) return new LoginError({ message: error.message, hint: error.hint ?? '' })
  return new LoginError({
    message: `The token file ${path} cannot be read: ${(error as { code?: string }).code ?? messageOf(error)}`,
    hint: 'Check that the file exists and who may read it.',
  })
}

/** The transport with our credentials on each request. A 401 is tried once more if there are newer ones by then. */
export function authorized(transport: Transport, credentials: Credentials): Transport {
  const send = async <A extends { readonly status: number; readonly body: Uint8Array | AsyncIterable<Uint8Array> }>(
    request: TransportRequest,
    by: (request: TransportRequest) => Promise<A>,
  ): Promise<A> => {
    const used = await credentials.identity(request.signal)
    const answer = await by(withAuthorization(request, used))
    if (answer.status !== 401 || !(await credentials.renewed(used, request.signal))) return answer
    await discard(answer.body)
    return by(withAuthorization(request, await credentials.identity(request.signal)))
  }
  return {
    request: (request) => send(request, (signed) => transport.request(signed)),
    stream: (request) => send(request, (signed) => transport.stream(signed)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

function withAuthorization(request: TransportRequest, { authorization }: Identity): TransportRequest {
  return authorization === undefined ? request : { ...request, headers: { ...request.headers, authorization } }
}

async function discard(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  if (body instanceof Uint8Array) return
  await body[Symbol.asyncIterator]().return?.()
}
