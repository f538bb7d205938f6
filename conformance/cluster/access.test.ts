import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { openStage, PROTOBUF } from './stage.ts'

const stage = openStage()
const RBAC = 'rbac.authorization.k8s.io/v1'
const AUTHORIZATION = '/apis/authorization.k8s.io/v1'
const AUTHENTICATION = '/apis/authentication.k8s.io/v1'
const maps = () => stage.path('configmaps')
const jane = () => ({ token: stage.tokenOf('jane') })

beforeAll(async () => {
  const rules = [
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['get', 'delete'] },
  ]
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }]
  await stage.created(stage.path('roles', RBAC), { metadata: { name: 'reader' }, rules })
  await stage.created(stage.path('rolebindings', RBAC), { metadata: { name: 'jane' }, roleRef, subjects })
  for (const name of ['mine', 'other']) await stage.created(maps(), { metadata: { name } })
  // A server learns of roles a moment after they were written.
  await stage.until(maps(), ({ code }) => code === 200, jane())
}, 120_000)

describe('access', () => {
  it('KA152: everybody may ask what he may do, in JSON and in protobuf', async () => {
    const path = `${AUTHORIZATION}/selfsubjectaccessreviews`
    const spec = { resourceAttributes: { namespace: stage.namespace, verb: 'list', resource: 'configmaps' } }
    const { code, body } = await stage.post(path, { spec }, jane())
    expect(code).toBe(201)
    expect(body).toMatchObject({ kind: 'SelfSubjectAccessReview', status: { allowed: true } })
    const create = { resourceAttributes: { ...spec.resourceAttributes, verb: 'create' } }
    expect((await stage.post(path, { spec: create }, jane())).body.status.allowed).toBe(false)
    const bytes = protobufReview(stage.namespace, 'list', 'configmaps')
    const protobuf = await stage.post(path, bytes, { type: PROTOBUF, ...jane() })
    expect(protobuf).toMatchObject({ code: 201, body: { status: { allowed: true } } })
    const who = await stage.post(`${AUTHENTICATION}/selfsubjectreviews`, {}, jane())
    expect(who).toMatchObject({ code: 201, body: { status: { userInfo: { username: 'jane' } } } })
    expect(who.body.status.userInfo.groups).toEqual(['devs', 'system:authenticated'])
  })

  it('KA153: a token that nobody has is 401', async () => {
    const { code, body } = await stage.get(maps(), { token: 'nope' })
    expect({ code, reason: body.reason }).toEqual({ code: 401, reason: 'Unauthorized' })
  })

  it('KA153: what no role allows is 403, and says what was missing', async () => {
    const { code, body } = await stage.post(maps(), { metadata: { name: 'x' } }, jane())
    expect(code).toBe(403)
    expect(body).toMatchObject({
      ...{ reason: 'Forbidden', details: { kind: 'configmaps' } },
      message: `configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "${stage.namespace}"`,
    })
    expect((await stage.get('/api/v1/nosuch', { token: null })).code).toBe(403)
  })

  it('KA153: a list is not a get, and names are honoured', async () => {
    expect((await stage.get(maps(), jane())).code).toBe(200)
    expect((await stage.get(`${maps()}/mine`, jane())).code).toBe(200)
    expect((await stage.get(`${maps()}/other`, jane())).code).toBe(403)
    expect((await stage.get(`${maps()}?watch=1`, jane())).code).toBe(403)
    expect((await stage.get('/api/v1/configmaps', jane())).code).toBe(403)
    expect((await stage.delete(`${maps()}/other`, undefined, jane())).code).toBe(403)
    expect((await stage.delete(`${maps()}/mine?dryRun=All`, undefined, jane())).code).toBe(200)
  })

  it('KA154: the token of a service account is his who bears it', async () => {
    const accounts = stage.path('serviceaccounts')
    const account = await stage.created(accounts, { metadata: { name: 'bot' } })
    const { code, body } = await stage.post(`${accounts}/bot/token`, { spec: { expirationSeconds: 3600 } })
    expect(code).toBe(201)
    const { token } = body.status
    expect(token.split('.')).toHaveLength(3)
    const username = `system:serviceaccount:${stage.namespace}:bot`
    const who = () => stage.post(`${AUTHENTICATION}/selfsubjectreviews`, {}, { token })
    const known = await stage.retry(who, (answer: Loose) => answer.code === 201)
    expect(known.body.status.userInfo).toMatchObject({ username, uid: account.metadata.uid })
    const review = await stage.post(`${AUTHENTICATION}/tokenreviews`, { spec: { token } })
    expect(review.body.status).toMatchObject({ authenticated: true, user: { username } })
    const false_ = await stage.post(`${AUTHENTICATION}/tokenreviews`, { spec: { token: `${token}x` } })
    expect(false_.body.status.authenticated).toBeUndefined()
  })
})

function field(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
}

function protobufReview(namespace: string, verb: string, resource: string): Buffer {
  const attributes = [field(1, namespace), field(2, verb), field(5, resource)]
  const review = field(2, field(1, Buffer.concat(attributes)))
  const type = Buffer.concat([field(1, 'authorization.k8s.io/v1'), field(2, 'SelfSubjectAccessReview')])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, review), field(3, ''), field(4, '')])
}
