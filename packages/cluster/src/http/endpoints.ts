/** The paths that are not objects: version, health, discovery, OpenAPI. */

import { createHash } from 'node:crypto'
import { bytesOf, type JsonObject, printJson } from '../json.ts'
import { discoveryRoot, groupDocument, resourceList } from '../kinds/discovery.ts'
import { type Document, definitionName, documents, index, schemaIn } from '../kinds/openapi.ts'
import { openApiV2 } from '../kinds/openapi-v2.ts'
import { encodeOpenApiV2, openApiV2Protobuf } from '../kinds/openapi-v2-protobuf.ts'
import type { Backend } from '../request/backend.ts'
import { type Answer, bytesAnswer, type Call, jsonAnswer, textAnswer } from './message.ts'
import { negotiate } from './negotiate.ts'
import { apiPath } from './router.ts'
import { methodNotAllowed, notAcceptable, PageNotFound, unknownResource } from './status.ts'

/** The answer of an endpoint that is not a collection of objects; undefined when the path means objects. */
export function endpoint(backend: Backend, call: Call): Answer | undefined {
  const path = call.path.length > 1 ? call.path.replace(/\/$/, '') : call.path
  const api = apiPath(path)
  if (api && api.rest.length > 0) return undefined
  if (api) return readOnly(call, () => versionDocument(backend, call, api.group, api.version))
  if (path === '/api' || path === '/apis') {
    return readOnly(call, () => discoveryRoot(backend.kinds, path === '/api', backend.address, call.headers))
  }
  if (path.startsWith('/apis/')) return readOnly(call, () => group(backend, path.slice('/apis/'.length)))
  return special(backend, call, path)
}

function readOnly(call: Call, answer: () => Answer): Answer {
  if (call.method !== 'GET') throw methodNotAllowed()
  return answer()
}

function versionDocument(backend: Backend, call: Call, name: string, version: string): Answer {
  const found = resourceList(backend.kinds, name, version)
  if (!found) throw backend.kinds.isBuiltInGroup(name) ? unknownResource() : new PageNotFound()
  const accept = call.headers.get('accept') ?? ''
  if (accept.includes('as=APIGroupDiscoveryList') && !accept.includes(','))
    throw notAcceptable('not an aggregated document')
  negotiate(accept.replace(/[^,]*as=APIGroupDiscoveryList[^,]*,/g, ''))
  return jsonAnswer(200, found)
}

function group(backend: Backend, name: string): Answer {
  const found = groupDocument(backend.kinds, name)
  if (!found) throw new PageNotFound()
  return jsonAnswer(200, found)
}

const checks = [
  'ping',
  'log',
  'etcd',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-apiextensions-controllers',
]

function special(backend: Backend, call: Call, path: string): Answer {
  const [, root, second] = path.split('/')
  switch (root) {
    case '':
      return jsonAnswer(200, { paths: rootPaths(backend) })
    case 'version':
      checkJson(call)
      return jsonAnswer(200, versionInfo(backend.version))
    case 'healthz':
    case 'livez':
    case 'readyz':
      return health(root, second, call.query)
    case 'openapi':
      if (second === 'v2') return openApiTwo(backend, call)
      if (second === 'v3') return openApi(backend, call, path.split('/').slice(3).join('/'))
      throw new PageNotFound()
    default:
      throw new PageNotFound()
  }
}

/** Told in JSON alone, to those who ask. */
function checkJson(call: Call): void {
  if (call.method !== 'GET') throw methodNotAllowed()
  const accept = call.headers.get('accept') ?? ''
  if (accept === '' || /json|\*\/\*/.test(accept)) return
  throw notAcceptable('406: Not Acceptable\n\nAvailable representations: application/json', {})
}

function rootPaths(backend: Backend): string[] {
  const groups = [...new Set([...backend.kinds.all()].map((kind) => kind.group))].filter((name) => name !== '')
  return [
    '/api',
    '/api/v1',
    '/apis',
    ...groups.map((name) => `/apis/${name}`),
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ]
}

function versionInfo(version: string): JsonObject {
  const [major = '1', minor = '36'] = version.split('.')
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${version}.3`,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
    goVersion: 'go1.26',
    compiler: 'gc',
    platform: 'linux/amd64',
  }
}

function health(root: string, check: string | undefined, query: URLSearchParams): Answer {
  if (check !== undefined) {
    if (![...checks, 'informer-sync'].some((name) => name.startsWith(check))) throw new PageNotFound()
    return bytesAnswer(200, 'text/plain; charset=utf-8', bytesOf('ok'))
  }
  if (!query.has('verbose')) return textAnswer(200, 'ok')
  const excluded = new Set(query.getAll('exclude'))
  const lines = checks.map((name) => (excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`))
  return textAnswer(200, `${lines.join('\n')}\n${root} check passed\n`)
}

function documentsOf(backend: Backend): ReadonlyMap<string, Document> {
  const definitions = backend.storage.table('apiextensions.k8s.io/customresourcedefinitions')
  return documents(backend.kinds, (kind, version) =>
    kind.builtIn ? undefined : schemaIn(definitions.get(definitionName(kind))?.object, version),
  )
}

/** In JSON, or in protobuf for those who ask for that alone. */
function openApiTwo(backend: Backend, call: Call): Answer {
  const accept = call.headers.get('accept') ?? ''
  const json = accept === '' || /json|\*\/\*/.test(accept)
  if (!json && !/spec\.v2.*\+protobuf/.test(accept)) {
    return { status: 406, headers: new Map([['cache-control', 'no-cache, private']]), body: new Uint8Array() }
  }
  const document = openApiV2(documentsOf(backend).values(), backend.version)
  const bytes = json ? bytesOf(printJson(document)) : encodeOpenApiV2(document)
  const etag = `"${createHash('sha512').update(bytes).digest('hex').toUpperCase()}"`
  return bytesAnswer(200, json ? 'application/json' : openApiV2Protobuf, bytes, {
    etag,
    vary: 'Accept-Encoding, Accept',
  })
}

function openApi(backend: Backend, call: Call, path: string): Answer {
  const found = documentsOf(backend)
  if (path === '') return bytesAnswer(200, 'text/plain; charset=utf-8', bytesOf(printJson(index(found))))
  const document = found.get(path)
  if (!document)
    return { status: 404, headers: new Map([['cache-control', 'no-cache, private']]), body: new Uint8Array() }
  const { hash } = document
  const asked = call.query.get('hash')
  const etag = `"${hash}"`
  if (asked !== null && asked !== hash) {
    const location = `/openapi/v3/${path}?hash=${hash}`
    return bytesAnswer(301, 'text/html; charset=utf-8', new Uint8Array(), { location })
  }
  const caching = asked === null ? {} : { 'cache-control': 'public, immutable' }
  return bytesAnswer(200, 'application/json', document.bytes(), { etag, vary: 'Accept', ...caching })
}
