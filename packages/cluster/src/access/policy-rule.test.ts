import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attributesOf, pathAttributes, resourceAttributes } from './attributes.ts'
import { allows, type PolicyRule, rulesIn, uncovered } from './policy-rule.ts'

const rule = (given: Partial<PolicyRule>): PolicyRule => ({
  ...{ verbs: ['get'], apiGroups: [''], resources: [], resourceNames: [], nonResourceURLs: [] },
  ...given,
})
const pods = { verb: 'get', resource: 'pods', namespace: 'a', name: 'x' }

describe('a rule allows', () => {
  it.each([
    ['the resource that it names', { resources: ['pods'] }, {}, true],
    ['not its subresources', { resources: ['pods'] }, { subresource: 'log' }, false],
    ['a subresource by name', { resources: ['pods/log'] }, { subresource: 'log' }, true],
    ['not the thing itself by its subresource', { resources: ['pods/log'] }, {}, false],
    ['a subresource of anything', { resources: ['*/log'] }, { subresource: 'log' }, true],
    ['everything, subresources too', { resources: ['*'] }, { subresource: 'log' }, true],
    ['not all subresources of one resource by a star', { resources: ['pods/*'] }, { subresource: 'log' }, false],
    ['another group, no', { resources: ['pods'], apiGroups: ['apps'] }, {}, false],
    ['any group', { resources: ['pods'], apiGroups: ['*'] }, { group: 'apps' }, true],
    ['another verb, no', { resources: ['pods'] }, { verb: 'list' }, false],
    ['any verb', { resources: ['pods'], verbs: ['*'] }, { verb: 'list' }, true],
    ['the name that it names', { resources: ['pods'], resourceNames: ['x'] }, {}, true],
    ['no other name', { resources: ['pods'], resourceNames: ['y'] }, {}, false],
    [
      'no list without a name',
      { resources: ['pods'], resourceNames: ['x'], verbs: ['list'] },
      { verb: 'list', name: '' },
      false,
    ],
  ])('%s', (_, given, wanted, expected) => {
    expect(allows(rule(given), resourceAttributes({ ...pods, ...wanted }))).toBe(expected)
  })

  it.each([
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/etcd', false],
    ['/healthz/*', '/healthz/etcd', true],
    ['/healthz/*', '/healthz', false],
    ['*', '/anything', true],
  ])('by the path %s the path %s: %s', (url, path, expected) => {
    expect(allows(rule({ nonResourceURLs: [url], apiGroups: [] }), pathAttributes('get', path))).toBe(expected)
  })
})

const some = (...words: string[]) => fc.subarray(words, { minLength: 1 })
const anyRule = fc.record({
  verbs: some('get', 'list', '*'),
  apiGroups: some('', 'apps', '*'),
  resources: some('pods', 'pods/log', '*/log', '*'),
  resourceNames: fc.subarray(['x', 'y']),
  nonResourceURLs: fc.constant([]),
})
const anyWanted = fc.record({
  verb: fc.constantFrom('get', 'list', 'delete'),
  group: fc.constantFrom('', 'apps', 'batch'),
  resource: fc.constantFrom('pods', 'jobs'),
  subresource: fc.constantFrom('', 'log'),
  name: fc.constantFrom('x', 'y', 'z', ''),
})

describe('rules cover', () => {
  it('themselves, and nothing is covered by none (property)', () => {
    fc.assert(
      fc.property(anyRule, (one) => {
        expect(uncovered([one], [one])).toEqual([])
        expect(uncovered([], [one]).length).toBeGreaterThan(0)
      }),
    )
  })

  it('only what they allow: nobody can give away more than he has (property)', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 3 }), anyRule, anyWanted, (held, wanted, request) => {
        if (uncovered(held, [wanted]).length > 0) return
        const attributes = resourceAttributes(request)
        if (allows(wanted, attributes)) expect(held.some((one) => allows(one, attributes))).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

it('reads rules out of whatever somebody stored', () => {
  expect(rulesIn(undefined)).toEqual([])
  expect(rulesIn([null, 1, { verbs: 'get', resources: [1, 'pods'] }])).toEqual([
    { verbs: [], apiGroups: [], resources: ['pods'], resourceNames: [], nonResourceURLs: [] },
  ])
})

describe('a request wants', () => {
  const wanted = (method: string, url: string) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const { verb, resourceRequest, group, resource, subresource, namespace, name, path } = attributesOf(
      method,
      pathname,
      searchParams,
    )
    return resourceRequest ? `${verb} ${group}|${resource}|${subresource}|${namespace}|${name}` : `${verb} ${path}`
  }
  it.each([
    ['GET', '/', 'get /'],
    ['GET', '/api', 'get /api'],
    ['GET', '/api/v1', 'get /api/v1'],
    ['GET', '/apis/apps/v1', 'get /apis/apps/v1'],
    ['POST', '/logs/x', 'post /logs/x'],
    ['GET', '/api/v1/pods', 'list |pods|||'],
    ['HEAD', '/api/v1/namespaces/a/pods/x', 'get |pods||a|x'],
    ['GET', '/api/v1/pods?watch=true', 'watch |pods|||'],
    ['GET', '/api/v1/pods?watch=0', 'list |pods|||'],
    ['GET', '/api/v1/watch/namespaces/a/pods', 'watch |pods||a|'],
    ['GET', '/apis/apps/v1/namespaces/a/deployments/x/scale', 'get apps|deployments|scale|a|x'],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', 'deletecollection apps|deployments||a|'],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update |namespaces|finalize|a|a'],
    ['GET', '/api/v1/namespaces/a', 'get |namespaces||a|a'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name=x,spec.nodeName=n', 'list |pods|||x'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name!=x', 'list |pods|||'],
    ['OPTIONS', '/api/v1/pods', ' |pods|||'],
    ['GET', '/api/v1/nodes/n/proxy/a/b', 'get |nodes|proxy||n'],
    ['GET', '/api/v1/pods/%zz', 'get |pods|||%zz'],
  ])('%s %s: %s', (method, url, expected) => expect(wanted(method, url)).toBe(expected))
})
