/**
 * An API server that only reads aloud: pods by the thousand, and one namespace. It runs in a process of its own, so that it takes no time from those who are
 * measured.
 *
 *     node server.mjs '{"pods":50000}'                       http
 *     node server.mjs '{"pods":0,"key":"…","certificate":"…"}'  https, files with PEM
 *
 * Prints its port. GET /stats tells how many connections were ever made.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { podListPieces } from './pod-list.mjs'

const { pods, key, certificate } = JSON.parse(process.argv[2] ?? '{}')

const list = podListPieces(pods, 9_000_000)
const namespace = JSON.stringify({ kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'default', uid: '1' } })
let connections = 0

/** @param {import('node:http').ServerResponse} response */
async function readList(response) {
  for (const piece of list) if (!response.write(piece)) await once(response, 'drain')
  response.end()
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
function answer(request, response) {
  response.setHeader('content-type', 'application/json')
  const { pathname } = new URL(request.url ?? '/', 'http://server')
  if (pathname === '/stats') response.end(JSON.stringify({ connections }))
  else if (pathname === '/api/v1/pods') readList(response).catch(() => response.destroy())
  else response.end(namespace)
}

const server = key
  ? createTlsServer({ key: readFileSync(key), cert: readFileSync(certificate) }, answer)
  : createServer(answer)
server.on(key ? 'secureConnection' : 'connection', () => connections++)
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : '')
})
process.once('disconnect', () => process.exit())
