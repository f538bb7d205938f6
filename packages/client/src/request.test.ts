import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listQuery, objectOf, pathOf, type ResourceAddress, watchQuery, withQuery } from './request.ts'

const pods: ResourceAddress = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true }
const deployments: ResourceAddress = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
}
const nodes: ResourceAddress = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false }

function path(resource: ResourceAddress, namespace?: string, name?: string, subresource?: string): string {
  return pathOf({ resource, namespace, name, subresource })
}

describe('a path', () => {
  it('leads to an object, a collection or a subresource', () => {
    expect(path(pods, 'shop', 'web')).toBe('/api/v1/namespaces/shop/pods/web')
    expect(path(deployments)).toBe('/apis/apps/v1/deployments')
    expect(path(deployments, 'shop', 'web', 'status')).toBe('/apis/apps/v1/namespaces/shop/deployments/web/status')
    expect(path(nodes, undefined, 'system:a')).toBe('/api/v1/nodes/system%3Aa')
  })

  it('has exactly the segments that were meant, whatever the names are, or is refused', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '..',
        '.',
        '',
        '../../secrets',
        'a/log',
        'a%2Flog',
        '%2e%2e',
        'a?watch=true',
        'a#b',
        'a;b',
        '\ud800',
      ),
    )
    fc.assert(
      fc.property(nasty, nasty, (namespace, name) => {
        let built: string
        try {
          built = path(pods, namespace, name)
        } catch (error) {
          expect(error).toMatchObject({ code: 'BIN_KEY' })
          return
        }
        // A server takes the path up to `?`, decodes it, cleans it and only then splits it.
        const { pathname, search, hash } = new URL(built, 'http://server')
        expect(decodeURIComponent(pathname).split('/')).toEqual([
          '',
          'api',
          'v1',
          'namespaces',
          namespace,
          'pods',
          name,
        ])
        expect([search, hash]).toEqual(['', ''])
      }),
      { numRuns: 500 },
    )
  })
})

describe('an object', () => {
  it('is named by its name, namespace and name, a pair or itself', () => {
    const named = (ref: Parameters<typeof objectOf>[0]) => objectOf(ref, pods, 'default')
    expect(named('web')).toEqual({ namespace: 'default', name: 'web' })
    expect(named('shop/web')).toEqual({ namespace: 'shop', name: 'web' })
    expect(named({ name: 'web', namespace: 'shop' })).toEqual({ namespace: 'shop', name: 'web' })
    expect(named({ metadata: { name: 'web', namespace: 'shop' } })).toEqual({ namespace: 'shop', name: 'web' })
    expect(objectOf('n', nodes, 'default')).toEqual({ namespace: undefined, name: 'n' })
  })

  it('must be somewhere', () => {
    expect(() => objectOf('web', pods, '*')).toThrow(/In which namespace is pods "web"/)
    expect(() => objectOf('shop/n', nodes, 'default')).toThrow(/Node is not namespaced/)
    expect(() => objectOf('a/b/c', pods, 'default')).toThrow(/3 parts/)
    expect(() => objectOf({ name: '' }, pods, 'default')).toThrow(/has no name/)
  })
})

describe('a query', () => {
  it('carries selectors, encoded', () => {
    expect(withQuery('/x', listQuery({ labels: { app: 'a&b' }, fields: 'metadata.name!=c', limit: 5 }))).toBe(
      '/x?labelSelector=app%3Da%26b&fieldSelector=metadata.name%21%3Dc&limit=5',
    )
    expect(withQuery('/x', listQuery({}))).toBe('/x')
  })

  it('of a watch asks for what the server demands together', () => {
    expect(watchQuery({ resourceVersion: '5', bookmarks: true, limit: 3 }, 60.2)).toMatchObject({
      watch: true,
      resourceVersion: '5',
      allowWatchBookmarks: true,
      timeoutSeconds: 60,
      limit: undefined,
      resourceVersionMatch: undefined,
    })
    expect(watchQuery({ sendInitialEvents: true }, 60)).toMatchObject({ resourceVersionMatch: 'NotOlderThan' })
  })
})
