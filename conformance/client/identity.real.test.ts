import { ForbiddenError } from '@binnacle/client'
import { explain } from '@binnacle/core'
import { expect, it } from 'vitest'
import { server } from './server.ts'

/** Who the server takes us for. The embedded cluster has no users, so that nobody can be impersonated or refused there. */

const s = server()

it('impersonation of user, uid, groups and extras arrives as it was given', async () => {
  const impersonate = { user: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { 'example.com/team': ['a', 'b'] } }
  const client = await s.another({ impersonate })
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const { status } = await client.request<{ status: { userInfo: object } }>(
    'POST',
    '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    { body },
  )
  expect(status.userInfo).toEqual({
    username: 'jane',
    uid: '7',
    groups: ['dev', 'ops', 'system:authenticated'],
    extra: { 'example.com/team': ['a', 'b'] },
  })
  const refused = await client.list('configmaps').catch((error) => error)
  expect(refused).toBeInstanceOf(ForbiddenError)
  expect(explain(refused)).toContain('verbs: ["list"]')
})
