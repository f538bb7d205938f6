/** Requests that somebody without manners would send: generators over paths, queries, bodies, patches, tokens and protobuf. */
import fc from 'fast-check'

export interface HostileRequest {
  readonly method: string
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array
}

const collections = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/events',
  '/api/v1/namespaces',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/apis/coordination.k8s.io/v1/namespaces/default/leases',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/example.com/v1/namespaces/default/widgets',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
]
const odd = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%00',
  '__proto__',
  'constructor',
  'toString',
  '%E0%A4%A',
  'a%2Fb',
  'x'.repeat(300),
  '*',
  'a b',
]
const words = [
  ...['api', 'apis', 'v1', 'v2', 'apps', 'namespaces', 'default', 'configmaps', 'pods', 'a', 'status', 'scale', 'log'],
  ...[
    'openapi',
    'v3',
    'healthz',
    'watch',
    'proxy',
    'finalize',
    'token',
    'binding',
    'eviction',
    'example.com',
    'widgets',
  ],
]
const segment = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...words) }, fc.constantFrom(...odd), fc.string())
const wild = fc.array(segment, { maxLength: 8 }).map((segments) => `/${segments.map(encoded).join('/')}`)

/** Mostly as it is, because a transport would not send everything. */
function encoded(text: string): string {
  return /^[%A-Za-z0-9._*-]*$/.test(text)
    ? text
    : encodeURIComponent(text.toWellFormed?.() ?? text.replace(/[\ud800-\udfff]/g, ''))
}

const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom('a', 'b', 'held') }, fc.constantFrom(...odd).map(encoded))
const sub = fc.constantFrom('', '', '', '', '/status', '/scale', '/finalize', '/nosuch', '/log', '/binding', '/token')
const tame = fc
  .tuple(fc.constantFrom(...collections), fc.option(fc.tuple(name, sub)))
  .map(([list, one]) => (one ? `${list}/${one[0]}${one[1]}` : list))

const token = fc
  .oneof(
    fc.jsonValue(),
    fc.record({
      v: fc.constantFrom('meta.k8s.io/v1', '', 'x'),
      rv: fc.oneof(fc.integer(), fc.jsonValue()),
      start: fc.string(),
    }),
  )
  .map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))

const selector = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '=',
      '==',
      '!=',
      '!',
      ',',
      ' in ',
      ' notin ',
      '(',
      ')',
      '>',
      '<',
      '1',
      '__proto__',
      '\\',
      '/',
      '',
    ),
  )
  .map((pieces) => pieces.join(''))

const value = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '-1',
    'true',
    'abc',
    '99999999999999999999',
    'All',
    'Exact',
    'NotOlderThan',
    'Strict',
    'Object',
  ),
  selector,
  token,
  fc.string(),
)
const key = fc.constantFrom(
  ...['limit', 'continue', 'labelSelector', 'fieldSelector', 'resourceVersion', 'resourceVersionMatch', 'watch'],
  ...[
    'sendInitialEvents',
    'allowWatchBookmarks',
    'timeoutSeconds',
    'fieldManager',
    'fieldValidation',
    'force',
    'dryRun',
  ],
  ...[
    'propagationPolicy',
    'gracePeriodSeconds',
    'orphanDependents',
    'pretty',
    'includeObject',
    '__proto__',
    'hash',
    'verbose',
  ],
)
const query = fc
  .array(fc.tuple(key, value), { maxLength: 4 })
  .map((pairs) => pairs.map(([k, v]) => `${k}=${encodeURIComponent(v.replace(/[\ud800-\udfff]/g, ''))}`).join('&'))

const manifests: readonly object[] = [
  { metadata: { name: 'a', labels: { a: 'b' } }, data: { k: 'v' } },
  { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A', value: '1' }] }] } },
  { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } },
  {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' } },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  },
  {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a' },
    spec: { color: 'red', items: [{ name: 'x' }] },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', managedFields: [{ manager: 'x', operation: 'Apply' }] },
  },
  { metadata: { name: 'a' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  { metadata: { name: 'a' }, note: 'n', regarding: { namespace: 'default' }, eventTime: '2026-01-01T00:00:00.000000Z' },
  { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
  { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan', preconditions: { uid: 'x' } },
]
const definition = {
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.a == 1' }] } },
          },
        },
      },
    ],
  },
}

/** A manifest with something else somewhere in it. */
const mutated = fc
  .tuple(fc.constantFrom(...manifests, definition), fc.array(fc.tuple(fc.nat(), fc.jsonValue()), { maxLength: 3 }))
  .map(([manifest, changes]) => changes.reduce<unknown>((object, [at, to]) => replaced(object, at, to), manifest))

function replaced(object: unknown, at: number, to: unknown): unknown {
  const places: [Record<string, unknown>, string][] = []
  const copy = structuredClone(object)
  const visit = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return
    for (const key of Object.keys(part)) {
      places.push([part as Record<string, unknown>, key])
      visit((part as Record<string, unknown>)[key])
    }
  }
  visit(copy)
  const place = places[at % Math.max(1, places.length)]
  if (!place) return to
  place[0][place[1]] = to
  return copy
}

const operation = fc.record(
  {
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'fly'),
    path: fc
      .array(
        fc.constantFrom('metadata', 'data', 'spec', 'k', '0', '-', '-1', '99', '__proto__', 'constructor', '~1', '~'),
      )
      .map((p) => `/${p.join('/')}`),
    from: fc.constantFrom('/data', '/metadata/name', '/x', '', '/__proto__'),
    value: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const directives = [
  '{"$patch":"delete"}',
  '{"data":{"$patch":"replace"}}',
  '{"$setElementOrder/x":[1]}',
  '{"spec":{"$retainKeys":[1]}}',
]
const polluting = [
  '{"__proto__":{"polluted":1}}',
  '{"metadata":{"__proto__":{"polluted":1}}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
]

const text = fc.oneof(
  { weight: 6, arbitrary: mutated.map((object) => JSON.stringify(object)) },
  fc.array(operation, { maxLength: 4 }).map((list) => JSON.stringify(list)),
  fc.jsonValue().map((json) => JSON.stringify(json)),
  fc.constantFrom(
    ...directives,
    ...polluting,
    '',
    '{',
    '[',
    'a: [',
    '&a [*a]',
    '"\\ud800"',
    `${'['.repeat(5000)}`,
    `${'{"a":'.repeat(5000)}`,
  ),
  fc.string(),
)
const types = [
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/merge-patch+json'],
  ...[
    'application/json-patch+json',
    'application/strategic-merge-patch+json',
    'application/apply-patch+yaml',
    'text/plain',
    '',
  ],
]
const protobuf = fc
  .tuple(fc.constantFrom('ConfigMap', 'Pod', 'Deployment', 'Nosuch'), fc.uint8Array({ maxLength: 60 }))
  .map(([kind, bytes]) => {
    const type = Buffer.concat([
      Buffer.from([10, 2]),
      Buffer.from('v1'),
      Buffer.from([18, kind.length]),
      Buffer.from(kind),
    ])
    const raw = Buffer.concat([Buffer.from([10, type.length]), type, Buffer.from([18, bytes.length]), bytes])
    return new Uint8Array(Buffer.concat([Buffer.from('k8s\0'), raw]))
  })
const body = fc.oneof(
  { weight: 5, arbitrary: text.map((t) => new Uint8Array(Buffer.from(t))) },
  protobuf,
  fc.uint8Array({ maxLength: 40 }),
)
const accepts = [
  '*/*',
  'application/json',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  'x/y',
]

export const hostileRequest: fc.Arbitrary<HostileRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'FOO'),
    path: fc.oneof({ weight: 5, arbitrary: tame }, wild),
    query,
    accept: fc.constantFrom(...accepts),
    type: fc.constantFrom(...types),
    body: fc.option(body, { nil: undefined }),
  })
  .map(({ method, path, query: asked, accept, type, body: sent }) => ({
    method,
    path: asked === '' ? path : `${path}?${asked}`,
    headers: { accept, ...(type === '' ? {} : { 'content-type': type }) },
    ...(sent === undefined ? {} : { body: sent }),
  }))
