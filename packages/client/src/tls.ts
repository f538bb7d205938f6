import { readFile } from 'node:fs/promises'
import { KubeConfigError, messageOf, type Runtime } from '@binnacle/core'
import type { ConnectionInfo } from './connection.ts'
import { type Credentials, FILE_AGE } from './credentials.ts'

/**
 * The certificates of a connection.
 * Guarantees: what is damaged is told at the start, and not as a failed connection; files are read again as they rotate, and at once when
 * the server's certificate is refused; while files are half replaced, the last good ones stay in use. Nothing older than TLS 1.2 is spoken, and a
 * certificate is checked unless the connection itself says otherwise, whatever the environment says.
 */

/** What a TLS connection needs. */
export interface TlsOptions {
  readonly ca?: Buffer
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly servername?: string
  readonly rejectUnauthorized: boolean
  readonly minVersion: 'TLSv1.2'
}

export interface TlsSource {
  /** The same object as long as nothing has changed. */
  current(signal: AbortSignal): Promise<TlsOptions>
  /** The server's certificate was refused: is there anything new by now? */
  renewed(used: TlsOptions, signal: AbortSignal): Promise<boolean>
}

/** Certificates that never change. */
export function fixedTls(options: TlsOptions): TlsSource {
  return { current: async () => options, renewed: async () => false }
}

/** Reads and checks the certificates of a connection; those of `credentials`, if it brings any, take the place of its own. */
export async function tlsOf(
  connection: ConnectionInfo,
  credentials: Credentials,
  runtime: Runtime,
  signal?: AbortSignal,
): Promise<TlsSource> {
  const first = await tlsOptionsOf(connection, signal)
  const { caPath, certificatePath, privateKeyPath, exec } = connection
  if (!caPath && !certificatePath && !privateKeyPath && !exec) return fixedTls(first)
  return new RotatingTls(connection, credentials, runtime, first)
}

class RotatingTls implements TlsSource {
  readonly #connection: ConnectionInfo
  readonly #credentials: Credentials
  readonly #runtime: Runtime
  /** As the files say. */
  #files: TlsOptions
  /** With what the credentials bring. */
  #current: TlsOptions
  #readAt: number

  constructor(connection: ConnectionInfo, credentials: Credentials, runtime: Runtime, first: TlsOptions) {
    this.#connection = connection
    this.#credentials = credentials
    this.#runtime = runtime
    this.#files = first
    this.#current = first
    this.#readAt = runtime.clock.monotonic()
  }

  async current(signal: AbortSignal): Promise<TlsOptions> {
    if (this.#runtime.clock.monotonic() - this.#readAt >= FILE_AGE) await this.#read(signal)
    const { cert, key } = await this.#credentials.identity(signal)
    const wanted = cert && key ? { ...this.#files, cert, key } : this.#files
    if (!sameTls(wanted, this.#current)) this.#current = wanted
    return this.#current
  }

  async renewed(used: TlsOptions, signal: AbortSignal): Promise<boolean> {
    await this.#read(signal)
    return (await this.current(signal)) !== used
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#readAt = this.#runtime.clock.monotonic()
    try {
      this.#files = await tlsOptionsOf(this.#connection, signal)
    } catch (error) {
      signal.throwIfAborted()
      this.#runtime.logger.warn('The certificate files cannot be used; the last good ones stay in use', {
        error: messageOf(error),
      })
    }
  }
}

function sameTls(a: TlsOptions, b: TlsOptions): boolean {
  return (['ca', 'cert', 'key'] as const).every((part) => {
    const [one, other] = [a[part], b[part]]
    return one === other || (one !== undefined && other !== undefined && one.equals(other))
  })
}

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
    rejectUnauthorized: connection.insecure !== true,
    minVersion: 'TLSv1.2',
  }
  await check(options)
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

/** So that a damaged certificate is told at the start, and not as a failed connection. TLS is loaded by whoever connects, and not by an import. */
async function check({ ca, cert, key }: TlsOptions): Promise<void> {
  if (!ca && !cert) return
  const { createSecureContext } = await import('node:tls')
  try {
    createSecureContext({ ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) })
  } catch (error) {
    throw new KubeConfigError({
      message: `The certificates of the connection cannot be used: ${(error as { code?: string }).code ?? 'not valid PEM'}`,
      hint: 'Check the certificate authority, the client certificate and its key; the latter two must belong together.',
    })
  }
}
