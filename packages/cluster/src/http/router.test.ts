import { expect, it } from 'vitest'
import { Kinds } from '../kinds/kinds.ts'
import { type ApiPath, apiPath, route } from './router.ts'
import { PageNotFound, StatusError } from './status.ts'

function routed(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://x')
  const path = apiPath(pathname) as ApiPath
  try {
    const { kind, verb, namespace, name, subresource } = route(new Kinds(), path, method, searchParams)
    return [verb, kind.plural, namespace || '-', name || '-', subresource?.name].filter(Boolean).join(' ')
  } catch (error) {
    if (error instanceof PageNotFound) return 'text 404'
    return error instanceof StatusError ? `status ${error.code}` : String(error)
  }
}

it.each([
  ['GET', '/api/v1/pods', 'list pods - -'],
  ['GET', '/api/v1/pods?watch=true', 'watch pods - -'],
  ['GET', '/api/v1/pods?watch=false', 'list pods - -'],
  ['GET', '/api/v1/watch/namespaces/a/pods', 'watch pods a -'],
  ['GET', '/api/v1/namespaces/a/pods/b?watch=true', 'get pods a b'],
  ['PUT', '/api/v1/namespaces/a/pods/b/status', 'update pods a b status'],
  ['GET', '/api/v1/namespaces/a', 'get namespaces - a'],
  ['PUT', '/api/v1/namespaces/a/finalize', 'update namespaces - a finalize'],
  ['PATCH', '/api/v1/namespaces/a/status', 'patch namespaces - a status'],
  ['DELETE', '/apis/apps/v1/namespaces/a/deployments', 'deletecollection deployments a -'],
  ['PATCH', '/apis/apps/v1/namespaces/a/deployments/d/scale', 'patch deployments a d scale'],
  ['DELETE', '/api/v1/namespaces', 'status 405'],
  ['POST', '/api/v1/pods', 'status 405'],
  ['GET', '/api/v1/pods/x', 'status 404'],
  ['POST', '/api/v1/nodes/x', 'status 405'],
  ['HEAD', '/api/v1/nodes', 'status 405'],
  ['GET', '/api/v1/nosuch', 'status 404'],
  ['GET', '/apis/apps/v9/deployments', 'status 404'],
  ['GET', '/api/v1/namespaces/a/nodes', 'status 404'],
  ['GET', '/api/v1/namespaces/a/configmaps/x/status', 'status 404'],
  ['GET', '/apis/nobody.example.com/v1/things', 'text 404'],
  ['GET', '/api/v1/constructor', 'status 404'],
])('routes %s %s to: %s', (method, url, expected) => {
  expect(routed(method, url)).toBe(expected)
})
