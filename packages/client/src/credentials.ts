import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { KubeConfigError, LoginError, messageOf, type Runtime } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'
import type { TlsOptions, Transport, TransportRequest } from './transport.ts'

/**
 * Who we are: the Authorization header of each request, and the certificates of the connection.
 * Guarantees: a token file is read again as it rotates, and at once when the server refuses the token; no message holds a secret.
 * Does not guarantee: that certificate files are read again; a new connection is needed for that.
 */
export interface Credentials {
  /** The value of the Authorization header; undefined if there is none. */
  authorization(signal: AbortSignal): Promise<string | undefined>
  /** The server has refused `used`: is there another one by now? */
  renewed(used: string | undefined, signal: AbortSignal): Promise<boolean>
}

/** Seconds for which a token file is not looked at again. Kubernetes rotates long before a token expires. */
const TOKEN_AGE = 10

export function credentialsOf(connection: ConnectionInfo, runtime: Runtime): Credentials {
  const scheme = connection.scheme ?? 'Bearer'
  if (connection.tokenPath !== undefined) return new TokenFile(connection.tokenPath, scheme, connection.token, runtime)
  const authorization = fixedAuthorization(connection, scheme)
  return { authorization: async () => authorization, renewed: async () => false }
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
  #token: string | undefined
  #readAt = Number.NEGATIVE_INFINITY

  constructor(path: string, scheme: string, fallback: string | undefined, runtime: Runtime) {
    this.#path = path
    this.#scheme = scheme
    this.#token = fallback
    this.#runtime = runtime
  }

  async authorization(signal: AbortSignal): Promise<string> {
    if (this.#runtime.clock.monotonic() - this.#readAt >= TOKEN_AGE) await this.#read(signal)
    return `${this.#scheme} ${this.#token}`
  }

  async renewed(used: string | undefined, signal: AbortSignal): Promise<boolean> {
    await this.#read(signal)
    return `${this.#scheme} ${this.#token}` !== used
  }

  /** Keeps the last good token when the file is gone for a moment, as while it is being replaced. */
  async #read(signal: AbortSignal): Promise<void> {
    try {
      this.#token = checked((await readFile(this.#path, { encoding: 'utf8', signal })).trim(), this.#path)
      this.#readAt = this.#runtime.clock.monotonic()
    } catch (error) {
      signal.throwIfAborted()
      if (this.#token === undefined) throw unreadableToken(this.#path, error)
      this.#runtime.logger.warn(`The token file cannot be read; the last token stays in use`, { path: this.#path })
    }
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
    const used = await credentials.authorization(request.signal)
    const answer = await by(withAuthorization(request, used))
    if (answer.status !== 401 || !(await credentials.renewed(used, request.signal))) return answer
    await discard(answer.body)
    return by(withAuthorization(request, await credentials.authorization(request.signal)))
  }
  return {
    request: (request) => send(request, (signed) => transport.request(signed)),
    stream: (request) => send(request, (signed) => transport.stream(signed)),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

function withAuthorization(request: TransportRequest, authorization: string | undefined): TransportRequest {
  return authorization === undefined ? request : { ...request, headers: { ...request.headers, authorization } }
}

async function discard(body: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
  if (body instanceof Uint8Array) return
  await body[Symbol.asyncIterator]().return?.()
}

/** Reads and checks the certificates of a connection. */
export async function tlsOptionsOf(connection: ConnectionInfo, signal?: AbortSignal): Promise<TlsOptions> {
  const [ca, cert, key] = await Promise.all([
    pem(connection, 'caData', 'caPath', 'the certificate authority', signal),
    pem(connection, 'certificateData', 'certificatePath', 'the client certificate', signal),
    pem(connection, 'privateKeyData', 'privateKeyPath', 'the client key', signal),
  ])
  if ((cert === undefined) !== (key === undefined)) throw halfCertificate(cert !== undefined)
  const options: TlsOptions = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(connection.tlsServerName !== undefined && { servername: connection.tlsServerName }),
    ...(connection.insecure && { rejectUnauthorized: false }),
  }
  check(options)
  return options
}

async function pem(
  connection: ConnectionInfo,
  data: 'caData' | 'certificateData' | 'privateKeyData',
  path: 'caPath' | 'certificatePath' | 'privateKeyPath',
  what: string,
  signal: AbortSignal | undefined,
): Promise<Buffer | undefined> {
  const text = connection[data]
  if (text !== undefined) return pemOf(text, what)
  const file = connection[path]
  if (file === undefined) return undefined
  try {
    return pemOf(await readFile(file, { encoding: 'utf8', ...(signal && { signal }) }), `${what} in ${file}`)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof KubeConfigError) throw error
    throw new KubeConfigError({
      message: `The file ${file} with ${what} cannot be read: ${(error as { code?: string }).code ?? messageOf(error)}`,
      hint: 'Check the path and who may read the file.',
    })
  }
}

function pemOf(text: string, what: string): Buffer {
  const bytes = text.includes('-----BEGIN') ? Buffer.from(text) : Buffer.from(text, 'base64')
  if (bytes.includes('-----BEGIN')) return bytes
  throw new KubeConfigError({
    message: `Neither PEM nor PEM in base64: ${what}`,
    hint: 'It begins with "-----BEGIN"; in a kubeconfig the fields that end with -data hold it in base64.',
  })
}

function halfCertificate(hasCertificate: boolean): KubeConfigError {
  const [is, isNot] = hasCertificate ? ['certificate', 'key'] : ['key', 'certificate']
  return new KubeConfigError({
    message: `There is a client ${is} but no client ${isNot}`,
    hint: 'Both are needed: client-certificate(-data) and client-key(-data).',
  })
}

/** So that a damaged certificate is told at the start, and not as a failed connection. */
function check({ ca, cert, key }: TlsOptions): void {
  try {
    createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) })
  } catch (error) {
    throw new KubeConfigError({
      message: `The certificates of the connection cannot be used: ${(error as { code?: string }).code ?? 'not valid PEM'}`,
      hint: 'Check the certificate authority, the client certificate and its key; the latter two must belong together.',
    })
  }
}
