/**
 * A small API server for whole operators, ours and others: discovery, a list of pods, and widgets that can be watched and patched. It runs in a
 * process of its own, so that it takes no time from those who are measured, and treats all of them alike.
 *
 *     node api.mjs '{"pods":50000,"widgets":10000}'
 *
 * Prints its port. POST /reset brings the widgets back to their first state.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { podListPieces } from './pod-list.mjs'

const { pods = 0, widgets = 0 } = JSON.parse(process.argv[2] ?? '{}')
const FIRST = 9_000_000

/** @param {string} name @param {string} kind @param {boolean} namespaced */
const served = (name, kind, namespaced) => ({
  name,
  singularName: kind.toLowerCase(),
  namespaced,
  kind,
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
})
/** @type {Record<string, object[]>} */
const GROUPS = {
  'apiextensions.k8s.io/v1': [served('customresourcedefinitions', 'CustomResourceDefinition', false)],
  'peers.dev/v1': [served('widgets', 'Widget', true), served('widgets/status', 'Widget', true)],
  'events.k8s.io/v1': [served('events', 'Event', true)],
}
const CORE = [served('pods', 'Pod', true), served('namespaces', 'Namespace', false), served('events', 'Event', true)]

/** @returns {Record<string, object>} */
function discovery() {
  const groups = Object.keys(GROUPS).map((groupVersion) => {
    const [name, version] = groupVersion.split('/')
    return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
  })
  const lists = Object.entries(GROUPS).map(([groupVersion, resources]) => [
    `/apis/${groupVersion}`,
    { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources },
  ])
  return {
    '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3', platform: 'linux/amd64' },
    '/api': { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] },
    '/api/v1': { kind: 'APIResourceList', groupVersion: 'v1', resources: CORE },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
    ...Object.fromEntries(lists),
  }
}
const DISCOVERY = discovery()

const POD_LIST = podListPieces(pods, FIRST)

let version = FIRST
/** @type {Map<string, any>} */
const store = new Map()
/** @type {Set<import('node:http').ServerResponse>} */
const watchers = new Set()

function reset() {
  store.clear()
  for (let i = 0; i < widgets; i++) {
    const name = `widget-${i}`
    const uid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    const metadata = { name, namespace: 'default', uid, resourceVersion: String(++version), generation: 1 }
    const object = {
      apiVersion: 'peers.dev/v1',
      kind: 'Widget',
      metadata: { ...metadata, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { value: i },
    }
    store.set(name, object)
  }
}
reset()

/** @param {any} target @param {any} patch @returns {any} */
function merged(target, patch) {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch
  const result = { ...(typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {}) }
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key]
    else result[key] = merged(result[key], value)
  }
  return result
}

/** @param {any} object @param {readonly any[]} operations @returns {any} undefined when a test fails */
function patched(object, operations) {
  const result = structuredClone(object)
  for (const { op, path, value } of operations) {
    const keys = path
      .slice(1)
      .split('/')
      .map((/** @type {string} */ key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const last = keys.pop()
    const parent = keys.reduce((/** @type {any} */ at, /** @type {string} */ key) => at?.[key], result)
    if (op === 'test' && JSON.stringify(parent?.[last] ?? null) !== JSON.stringify(value)) return undefined
    if (op === 'add' && Array.isArray(parent)) parent.splice(last === '-' ? parent.length : Number(last), 0, value)
    else if (op === 'add' || op === 'replace') parent[last] = value
    else if (op === 'remove' && Array.isArray(parent)) parent.splice(Number(last), 1)
    else if (op === 'remove') delete parent[last]
  }
  return result
}

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response @param {string} name */
async function patchWidget(request, response, name) {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const known = store.get(name)
  const patch = JSON.parse(text)
  const next = Array.isArray(patch) ? patched(known, patch) : merged(known, patch)
  if (next === undefined) return fail(response, 422, 'Invalid')
  next.metadata.resourceVersion = String(++version)
  store.set(name, next)
  const body = JSON.stringify(next)
  response.end(body)
  for (const watcher of watchers) watcher.write(event(body))
}

/**
 * What has changed between the list and this watch comes first: an operator that is fast patches before its watch is there.
 * @param {import('node:http').ServerResponse} response @param {number} since
 */
function watchWidgets(response, since) {
  for (const object of store.values())
    if (Number(object.metadata.resourceVersion) > since) response.write(event(JSON.stringify(object)))
  watchers.add(response)
  response.once('close', () => watchers.delete(response))
}

/** @param {string} body */
const event = (body) => `{"type":"MODIFIED","object":${body}}\n`

/** @param {import('node:http').ServerResponse} response @param {number} code @param {string} reason */
function fail(response, code, reason) {
  response.statusCode = code
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: reason }))
}

/** @param {import('node:http').ServerResponse} response @param {readonly (Buffer | string)[]} pieces */
async function write(response, pieces) {
  for (const piece of pieces) if (!response.write(piece)) await once(response, 'drain')
  response.end()
}

/** @param {string} kind @param {string} apiVersion @param {readonly object[]} items */
const listOf = (kind, apiVersion, items) =>
  JSON.stringify({ kind, apiVersion, metadata: { resourceVersion: String(version) }, items })

/** @param {import('node:http').IncomingMessage} request @param {import('node:http').ServerResponse} response */
async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
  response.setHeader('content-type', 'application/json')
  if (pathname === '/reset') reset()
  if (pathname === '/reset') return void response.end('{}')
  if (pathname in DISCOVERY) return void response.end(JSON.stringify(DISCOVERY[pathname]))
  if (searchParams.get('sendInitialEvents') === 'true') return fail(response, 422, 'Invalid')
  const [plural = '', name] = pathname.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)\/(namespaces\/[^/]+\/)?/, '').split('/')
  if (searchParams.get('watch') === 'true' || searchParams.get('watch') === '1') {
    response.writeHead(200)
    response.flushHeaders()
    if (plural === 'widgets') watchWidgets(response, Number(searchParams.get('resourceVersion') ?? version))
    return
  }
  if (plural === 'pods') return write(response, POD_LIST)
  if (plural === 'widgets' && name && request.method === 'PATCH') return patchWidget(request, response, name)
  if (plural === 'widgets' && name) return void response.end(JSON.stringify(store.get(name)))
  if (plural === 'widgets') return write(response, [listOf('WidgetList', 'peers.dev/v1', [...store.values()])])
  if (plural === 'namespaces' && name)
    return void response.end(JSON.stringify({ kind: 'Namespace', apiVersion: 'v1', metadata: { name, uid: '1' } }))
  if (plural === 'namespaces') return void response.end(listOf('NamespaceList', 'v1', []))
  if (plural === 'customresourcedefinitions')
    return void response.end(listOf('CustomResourceDefinitionList', 'apiextensions.k8s.io/v1', []))
  fail(response, 404, 'NotFound')
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : '')
})
process.once('disconnect', () => process.exit())
