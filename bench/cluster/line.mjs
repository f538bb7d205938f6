/** A line to either server: HTTP/1.1 over TLS, on as many connections as are asked for. */
import { readFileSync } from 'node:fs'
import { Pool } from 'undici'

/** @param {string} kubeconfig path @param {number} connections */
export function lineTo(kubeconfig, connections) {
  const text = readFileSync(kubeconfig, 'utf8')
  const find = (/** @type {string} */ name) => new RegExp(`\\b${name}:\\s*"?([^\\s"]+)`).exec(text)?.[1]
  const decoded = (/** @type {string} */ name) => {
    const value = find(name)
    return value === undefined ? undefined : Buffer.from(value, 'base64').toString()
  }
  const connect = {
    ca: decoded('certificate-authority-data'),
    cert: decoded('client-certificate-data'),
    key: decoded('client-key-data'),
  }
  const pool = new Pool(find('server') ?? '', { connections, connect, bodyTimeout: 0, headersTimeout: 0 })
  const token = find('token')
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  /** @param {import('undici').Dispatcher.HttpMethod} method @param {string} path @param {string} [body] @param {string} [type] */
  const open = (method, path, body, type = 'application/json') =>
    pool.request({ method, path, headers: { ...authorization, 'content-type': type }, body })
  return {
    open,
    /** @param {Parameters<typeof open>} request @returns {Promise<string>} the body; throws for a refusal */
    async ask(...request) {
      const { statusCode, body } = await open(...request)
      const answer = await body.text()
      if (statusCode >= 300) throw new Error(`${request[0]} ${request[1]} was answered with ${statusCode}: ${answer}`)
      return answer
    },
    close: () => pool.destroy(),
  }
}

/** @typedef {ReturnType<typeof lineTo>} Line */

const FILLING = 'x'.repeat(800)

/** Of one kilobyte, as stored. @param {string} name */
export const configMap = (name) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, labels: { app: 'bench' } },
    data: { a: FILLING },
  })

/** Runs `work` for 0 to n-1, `width` at a time. @param {number} n @param {number} width @param {(i: number) => Promise<unknown>} work */
export async function many(n, width, work) {
  let next = 0
  const lane = async () => {
    while (next < n) await work(next++)
  }
  await Promise.all(Array.from({ length: width }, lane))
}

/** @param {number[]} times @param {number} share */
export function quantile(times, share) {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
