/** A webhook server for tests: behaviour by path, and what it was asked. */
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { newAuthority, newServerCertificate } from '../../src/access/certificate.ts'
import type { Any } from '../api.ts'

/** What it answers; a function sees the review. */
export type Behaviour = (review: Any) => Any

export class Hook implements AsyncDisposable {
  readonly asked: { readonly path: string; readonly review: Any }[] = []
  readonly behaviours = new Map<string, Behaviour>()
  readonly bundle: string
  readonly #server: Server

  private constructor(server: Server, certificate: string) {
    this.#server = server
    this.bundle = Buffer.from(certificate).toString('base64')
  }

  static async start(): Promise<Hook> {
    const authority = newAuthority(new Date())
    const { key, certificate } = newServerCertificate(authority, ['127.0.0.1', 'hook.default.svc'], new Date())
    const server = createServer({ key, cert: certificate }, (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString())
        const answer = hook.#answer(request.url ?? '/', review)
        response.writeHead(answer.http ?? 200, { 'content-type': 'application/json' })
        response.end(answer.http ? answer.text : JSON.stringify(answer))
      })
    })
    const hook = new Hook(server, authority.certificate)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return hook
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  #answer(url: string, review: Any): Any {
    const path = url.split('?')[0] ?? '/'
    this.asked.push({ path: url, review })
    const given = this.behaviours.get(path)?.(review) ?? {}
    if (given.http) return given
    const { kind, apiVersion, request } = review
    return { kind, apiVersion, response: { uid: request.uid, allowed: true, ...given } }
  }

  client(path: string) {
    return { url: `https://127.0.0.1:${this.port}${path}`, caBundle: this.bundle }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export const patchWith = (operations: readonly object[]) => () => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})
