/**
 * A webhook server for tests: what it answers is said by each webhook's path, and what it was asked is kept.
 * Guarantees: listens on loopback alone, with a certificate of its own; gone when it is disposed.
 */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { newAuthority, newCertificate } from '../control-plane/certificates.mjs'
import type { Loose } from './exchange.ts'

/** The response of a review, or the HTTP code to fail with, or never to answer. */
export type Behaviour = (request: Loose) => Loose

export class Hook implements AsyncDisposable {
  readonly asked: { readonly path: string; readonly request: Loose }[] = []
  readonly #behaviours = new Map<string, Behaviour>()
  readonly #server: Server
  readonly #bundle: string

  private constructor() {
    const authority = newAuthority('conformance')
    const purpose = { use: 'server', hosts: ['127.0.0.1'] } as const
    const { key, certificate } = newCertificate(authority, { commonName: '127.0.0.1' }, purpose)
    this.#bundle = Buffer.from(authority.certificate).toString('base64')
    this.#server = createServer({ key, cert: certificate }, async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const answer = this.#answer(request.url ?? '/', JSON.parse(Buffer.concat(chunks).toString()))
      if (answer === undefined) return
      response.writeHead(answer.http ?? 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer))
    })
  }

  static async start(): Promise<Hook> {
    const hook = new Hook()
    await new Promise<void>((resolve) => hook.#server.listen(0, '127.0.0.1', resolve))
    return hook
  }

  /** The clientConfig of a webhook that behaves like this. */
  at(path: string, behaviour: Behaviour = () => ({})): Loose {
    this.#behaviours.set(path, behaviour)
    return { url: `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`, caBundle: this.#bundle }
  }

  #answer(url: string, { kind, apiVersion, request }: Loose): Loose {
    const path = url.split('?')[0] ?? '/'
    this.asked.push({ path, request })
    const given = this.#behaviours.get(path)?.(request)
    if (given === undefined || given.http) return given
    return { kind, apiVersion, response: { uid: request.uid, allowed: true, ...given } }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A behaviour that patches. */
export const patching =
  (...operations: readonly Loose[]): Behaviour =>
  () => ({ patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') })
