/**
 * An API server without objects that notes when it was asked what. Prints its port.
 *
 * GET /asked     what was asked since the last /reset: method, path, watch or not, and when, by the wall clock
 * GET /reset     forgets it
 */
import http from 'node:http'

const verbs = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']
/** @param {string} name @param {string} kind @param {boolean} namespaced */
const served = (name, kind, namespaced) => ({ name, singularName: kind.toLowerCase(), namespaced, kind, verbs })
/** @type {Record<string, object[]>} */
const RESOURCES = {
  '/api/v1': [served('pods', 'Pod', true), served('namespaces', 'Namespace', false), served('events', 'Event', true)],
  '/apis/peers.dev/v1': [served('widgets', 'Widget', true), served('widgets/status', 'Widget', true)],
  '/apis/apiextensions.k8s.io/v1': [served('customresourcedefinitions', 'CustomResourceDefinition', false)],
  '/apis/events.k8s.io/v1': [served('events', 'Event', true)],
}
const groups = Object.keys(RESOURCES)
  .filter((path) => path.startsWith('/apis/'))
  .map((path) => {
    const [, , name, version] = path.split('/')
    const groupVersion = `${name}/${version}`
    return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } }
  })
/** @type {Record<string, object>} */
const FIXED = {
  '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups },
}

/** @type {{ method: string | undefined, path: string, watch: boolean, at: number }[]} */
let asked = []

/** @param {string} pathname @returns {object} */
function answerTo(pathname) {
  if (FIXED[pathname]) return FIXED[pathname]
  const groupVersion = pathname.replace(/^\/(api|apis)\//, '')
  if (RESOURCES[pathname])
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: RESOURCES[pathname] }
  const list = {
    apiVersion: pathname.startsWith('/api/') ? 'v1' : pathname.split('/').slice(2, 4).join('/'),
    items: [],
  }
  return { kind: pathname.endsWith('/widgets') ? 'WidgetList' : 'List', ...list, metadata: { resourceVersion: '10' } }
}

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://server')
  response.setHeader('content-type', 'application/json')
  if (pathname === '/reset') asked = []
  if (pathname === '/reset') return response.end('{}')
  if (pathname === '/asked') return response.end(JSON.stringify(asked))
  const watch = ['true', '1'].includes(searchParams.get('watch') ?? '')
  // Streamed lists are refused, as by an older server: then everybody lists.
  const streamed = searchParams.get('sendInitialEvents') === 'true'
  if (!streamed) asked.push({ method: request.method, path: pathname, watch, at: Date.now() })
  if (!watch) return response.end(JSON.stringify(answerTo(pathname)))
  response.statusCode = streamed ? 422 : 200
  if (streamed)
    return response.end(
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 422, reason: 'Invalid' }),
    )
  response.flushHeaders()
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' && address ? address.port : '')
})
process.once('disconnect', () => process.exit())
