/**
 * Calls out to webhooks.
 * Guarantees: a call ends: with an answer, at its deadline by the cluster's clock, or with the request that caused it; no answer
 * larger than a body may be is read; a certificate is checked against the bundle that the configuration brings.
 */
import { request as httpsRequest } from 'node:https'
import type { Timetable } from '../timetable.ts'
import { CallFailure, type WebhookAnswer, type WebhookCall, type WebhookCaller } from './webhook-call.ts'

const answerLimit = 3 * 1024 * 1024

export function webhookCaller(timetable: Timetable): WebhookCaller {
  return async (call) => {
    const deadline = new AbortController()
    const cancel = timetable.after(call.seconds, () => deadline.abort())
    const stop = () => deadline.abort()
    call.signal.addEventListener('abort', stop, { once: true })
    try {
      return await post(call, deadline.signal)
    } catch (error) {
      call.signal.throwIfAborted()
      const why = deadline.signal.aborted ? 'context deadline exceeded' : reasonOf(error as NodeJS.ErrnoException)
      throw new CallFailure(`Post "${call.address.url}": ${why}`)
    } finally {
      cancel()
      call.signal.removeEventListener('abort', stop)
    }
  }
}

function post({ address, body, agent }: WebhookCall, signal: AbortSignal): Promise<WebhookAnswer> {
  const named = new URL(address.url)
  const target = address.connect === undefined ? named : new URL(address.connect)
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        host: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port || 443,
        path: named.pathname + named.search,
        method: 'POST',
        headers: headersOf(named.host, body, agent),
        ...(address.authority === undefined ? {} : { ca: address.authority }),
        ...(address.connect === undefined ? {} : { servername: named.hostname }),
        agent: false,
        signal,
      },
      (answer) => {
        const chunks: Buffer[] = []
        let size = 0
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > answerLimit) outgoing.destroy(new Error('the answer is too large'))
          else chunks.push(chunk)
        })
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }))
        answer.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const headersOf = (host: string, body: Uint8Array, agent: string) => ({
  host,
  'user-agent': agent,
  accept: 'application/json, */*',
  'content-type': 'application/json',
  'content-length': String(body.length),
})

const unknownAuthority = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])

/** In Go's words, as far as they are known. */
function reasonOf(error: NodeJS.ErrnoException & { readonly address?: string; readonly port?: number }): string {
  if (error.code === 'ECONNREFUSED') return `dial tcp ${error.address}:${error.port}: connect: connection refused`
  if (error.code === 'ECONNRESET') return 'EOF'
  if (error.code === 'ENOTFOUND')
    return `dial tcp: lookup ${(error as { hostname?: string }).hostname ?? ''}: no such host`
  if (unknownAuthority.has(error.code ?? '')) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority'
  }
  return error.message
}
