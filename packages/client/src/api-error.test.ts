import { explain, ForbiddenError, NotFoundError, ServerError } from '@binnacle/core'
import { describe, expect, it } from 'vitest'
import { errorOf } from './api-error.ts'
import type { Subject } from './request.ts'

const subject: Subject = {
  verb: 'list',
  resource: { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', namespaced: true },
  namespace: 'shop',
  name: undefined,
  subresource: undefined,
}
const request = { method: 'GET', path: '/x' }

function error(status: number, body: unknown, asked: Parameters<typeof errorOf>[1] = subject, headers: object = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return errorOf({ status, body: Buffer.from(text), headers: new Map(Object.entries(headers)) }, asked, request)
}

describe('the error of a refusal', () => {
  it('names verb, resource and object, and ends with the words of the server', () => {
    const missing = error(
      404,
      { kind: 'Status', reason: 'NotFound', message: 'deployments.apps "web" not found', details: { name: 'web' } },
      { ...subject, verb: 'get', name: 'web', subresource: 'status' },
    )
    expect(missing).toBeInstanceOf(NotFoundError)
    expect(missing.message).toBe(
      'Cannot get deployments.apps/status "web" in namespace "shop": deployments.apps "web" not found (404 NotFound)',
    )
    expect(missing.status.message).toBe('deployments.apps "web" not found')
    expect(missing.hint).toBeUndefined()
    expect(missing.request).toEqual(request)
  })

  it('prints the RBAC rule that is missing', () => {
    const forbidden = error(403, {
      kind: 'Status',
      reason: 'Forbidden',
      message: 'deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps"',
    })
    expect(forbidden).toBeInstanceOf(ForbiddenError)
    expect(forbidden.hint).toBe(
      [
        'Add this rule to a Role in namespace "shop" (or a ClusterRole) that is bound to "jane":',
        '  - apiGroups: ["apps"]',
        '    resources: ["deployments"]',
        '    verbs: ["list"]',
      ].join('\n'),
    )
  })

  it('does not speak of RBAC when an admission plugin refused', () => {
    const quota = { kind: 'Status', reason: 'Forbidden', message: 'exceeded quota: pods' }
    expect(error(403, quota).hint).toBeUndefined()
  })

  it('says when the whole resource is not served', () => {
    expect(explain(error(404, '404 page not found\n'))).toContain(
      'The server does not serve deployments.apps in version v1: install its CustomResourceDefinition',
    )
  })

  it('quotes shortly whatever else was sent', () => {
    const html = error(502, `<html>\n\n  bad   gateway ${'x'.repeat(1000)}</html>`)
    expect(html).toBeInstanceOf(ServerError)
    expect(html.message).toMatch(
      /^Cannot list deployments\.apps in namespace "shop": <html> bad gateway x+… \(502 Unknown\)$/,
    )
    expect(html.message.length).toBeLessThan(400)
    expect(error(500, '').message).toContain('the server gave no reason (500 InternalError)')
  })

  it('takes the wait from the header, else from the Status', () => {
    const status = { kind: 'Status', message: 'busy', details: { retryAfterSeconds: 7 } }
    expect(error(429, status).retryAfter).toBe(7)
    expect(error(429, status, subject, { 'retry-after': '3' }).retryAfter).toBe(3)
    expect(error(429, {}, subject, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }).retryAfter).toBeUndefined()
  })

  it('survives a Status whose fields have other types than they should', () => {
    const odd = error(409, { kind: 'Status', reason: 5, message: null, code: 'x', details: [1] })
    expect(odd.status).toEqual({ code: 409, reason: 'Conflict', message: '' })
  })
})
