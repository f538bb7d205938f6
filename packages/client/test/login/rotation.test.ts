import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Logger, silentLogger, VirtualClock } from '@binnacle/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/index.ts'
import { CERTIFICATE, OTHER_CERTIFICATE, OTHER_PRIVATE_KEY, PRIVATE_KEY } from '../certificate.ts'
import { serve, Thing } from '../server.ts'

/** Credentials that change while the client runs, as real files. */

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rotation-'))
})
afterEach(() => rm(directory, { recursive: true }))

const path = (name: string) => join(directory, name)

/** As Kubernetes does it: a new file takes the name of the old one. */
async function put(name: string, text: string): Promise<string> {
  await writeFile(path(`${name}.new`), text)
  await rename(path(`${name}.new`), path(name))
  return path(name)
}

function warnings(): { readonly logger: Logger; readonly messages: string[] } {
  const messages: string[] = []
  return { messages, logger: { ...silentLogger, warn: (message: string) => messages.push(message) } }
}

// A18: CA and token rotation while running.
describe('A18: while the client runs', () => {
  it('a token that has rotated is read when the server refuses the old one, and a write is done once', async () => {
    const tokenPath = await put('token', 'one')
    let accepted = 'one'
    const done: string[] = []
    const { url } = await serve((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.headers.authorization !== `Bearer ${accepted}`) response.statusCode = 401
      else done.push(`${request.method} ${request.headers.authorization}`)
      response.end('{}')
    })
    await using client = await connect({ kubeconfig: { server: url, tokenPath }, clock: new VirtualClock() })
    await client.request('GET', '/')
    accepted = 'two'
    await put('token', 'two')
    await client.request('POST', '/', { body: {} })
    await client.request('GET', '/')
    expect(done).toEqual(['GET Bearer one', 'POST Bearer two', 'GET Bearer two'])
  })

  it('a token that the server refuses and that has not rotated is not tried again', async () => {
    let requests = 0
    const { url } = await serve((_, response) => {
      requests++
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}')
    })
    await using client = await connect({ kubeconfig: { server: url, tokenPath: await put('token', 'one') } })
    await expect(client.request('GET', '/')).rejects.toThrow(/401 Unauthorized/)
    expect(requests).toBe(1)
  })

  it('a token file that is gone for a while is warned of now and then, and not with each request', async () => {
    const clock = new VirtualClock()
    const { logger, messages } = warnings()
    const tokenPath = await put('token', 'one')
    const { url } = await serve((request, response) => response.end(request.headers.authorization))
    await using client = await connect({ kubeconfig: { server: url, tokenPath }, clock, logger })
    const used = () => client.request('GET', '/')
    await used()
    await rm(tokenPath)
    await clock.advance('10s')
    for (let i = 0; i < 5; i++) expect(await used()).toBe('Bearer one')
    expect(messages).toEqual(['The token file cannot be read; the last token stays in use'])
    await put('token', 'two')
    await clock.advance('10s')
    expect(await used()).toBe('Bearer two')
  })

  it('a certificate authority that has rotated is read as soon as the server shows the new one', async () => {
    const caPath = await put('ca.crt', CERTIFICATE)
    const { url, server } = await serve((_, response) => response.end('hello'), { cert: CERTIFICATE, key: PRIVATE_KEY })
    await using client = await connect({
      kubeconfig: { server: url, caPath },
      clock: new VirtualClock(),
      errorBackoffs: [],
    })
    expect(await client.request('GET', '/')).toBe('hello')
    ;(server as Server).setSecureContext({ cert: OTHER_CERTIFICATE, key: OTHER_PRIVATE_KEY })
    server.closeAllConnections()
    await put('ca.crt', OTHER_CERTIFICATE)
    expect(await client.request('POST', '/', { body: {} })).toBe('hello')
  })

  it('a server that shows a certificate of no known authority stays refused', async () => {
    const caPath = await put('ca.crt', CERTIFICATE)
    const tls = { cert: OTHER_CERTIFICATE, key: OTHER_PRIVATE_KEY }
    const { url } = await serve((_, response) => response.end('hello'), tls)
    await using client = await connect({ kubeconfig: { server: url, caPath }, errorBackoffs: [] })
    await expect(client.request('GET', '/')).rejects.toThrow(/its certificate is not signed by/)
  })

  it('a client certificate that has rotated goes by new connections, while a stream goes on by its old one', async () => {
    const clock = new VirtualClock()
    const certificatePath = await put('tls.crt', CERTIFICATE)
    const privateKeyPath = await put('tls.key', PRIVATE_KEY)
    const open: { write(text: string): void; end(): void }[] = []
    const tls = { cert: CERTIFICATE, key: PRIVATE_KEY, ca: [CERTIFICATE, OTHER_CERTIFICATE], requestCert: true }
    const { url, sockets } = await serve((request, response) => {
      response.setHeader('content-type', 'application/json')
      const { subject } = (
        request.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } }
      ).getPeerCertificate()
      if (!request.url?.includes('watch')) return response.end(JSON.stringify({ metadata: { name: subject.CN } }))
      open.push(response)
      return response.write(`{"type":"ADDED","object":{"metadata":{"name":"${subject.CN}"}}}\n`)
    }, tls)
    const kubeconfig = { server: url, caData: CERTIFICATE, certificatePath, privateKeyPath }
    await using client = await connect({ kubeconfig, clock })
    const watch = client.watch(Thing)[Symbol.asyncIterator]()
    expect((await watch.next()).value).toMatchObject({ object: { metadata: { name: 'test' } } })
    await put('tls.crt', OTHER_CERTIFICATE)
    await put('tls.key', OTHER_PRIVATE_KEY)
    await clock.advance('10s')
    expect(await client.get(Thing, 'x')).toMatchObject({ metadata: { name: 'test2' } })
    open[0]?.write('{"type":"MODIFIED","object":{"metadata":{"name":"still"}}}\n')
    expect((await watch.next()).value).toMatchObject({ object: { metadata: { name: 'still' } } })
    open[0]?.end()
    expect((await watch.next()).done).toBe(true)
    while (sockets.size > 1) await new Promise((resolve) => setImmediate(resolve))
  })

  it('files that are half replaced are not used, and a warning says so', async () => {
    const clock = new VirtualClock()
    const { logger, messages } = warnings()
    const certificatePath = await put('tls.crt', CERTIFICATE)
    const privateKeyPath = await put('tls.key', PRIVATE_KEY)
    const { url } = await serve((_, response) => response.end('hello'), { cert: CERTIFICATE, key: PRIVATE_KEY })
    const kubeconfig = { server: url, caData: CERTIFICATE, certificatePath, privateKeyPath }
    await using client = await connect({ kubeconfig, clock, logger })
    await put('tls.crt', OTHER_CERTIFICATE)
    await clock.advance('10s')
    expect(await client.request('GET', '/')).toBe('hello')
    expect(messages).toEqual(['The certificate files cannot be used; the last good ones stay in use'])
  })
})
