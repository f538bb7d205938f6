import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps } from '../api.ts'
import { VirtualClock } from '../virtual-clock.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews'

/** The same requests as one user, without a socket. */
function as(cluster: Cluster, name: string, ...groups: string[]) {
  const transport = cluster.transport({ user: { name, groups } })
  return async (path: string, method = 'GET', body?: object) => {
    const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }
    const answer = await transport.request({
      method,
      path,
      headers: {},
      ...bytes,
      signal: new AbortController().signal,
    })
    return answer.status
  }
}

const grant = async (api: Api, verbs: string[], name = 'r') => {
  await api.post(`${rbac}/namespaces/default/roles`, {
    metadata: { name },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs }],
  })
  await api.post(`${rbac}/namespaces/default/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'User', name: 'jane' }],
  })
}

describe('in process', () => {
  it('everybody is the administrator, unless a user is named', async () => {
    await using cluster = await Cluster.start({ listen: false, rbac: true })
    const api = new Api(cluster)
    expect((await api.post(whoami, {})).body.status.userInfo).toEqual({
      username: 'system:admin',
      groups: ['system:masters', 'system:authenticated'],
    })
    const jane = as(cluster, 'jane')
    expect([await jane(configMaps), await jane('/version')]).toEqual([403, 200])
    expect(cluster.requests.map(({ user, status }) => [user, status])).toEqual([
      ['system:admin', 201],
      ['jane', 403],
      ['jane', 200],
    ])
  })

  it('a change of a role or a binding counts for the next request', async () => {
    await using cluster = await Cluster.start({ listen: false, rbac: true })
    const [api, jane] = [new Api(cluster), as(cluster, 'jane')]
    expect(await jane(configMaps)).toBe(403)
    await grant(api, ['list'])
    expect(await jane(configMaps)).toBe(200)
    await api.patch(`${rbac}/namespaces/default/roles/r`, { rules: [] })
    expect(await jane(configMaps)).toBe(403)
    await api.delete(`${rbac}/namespaces/default/roles/r`)
    await grant(api, ['list', 'watch', 'create'], 's')
    expect(await jane(configMaps, 'POST', { metadata: { name: 'a' } })).toBe(201)
    await api.delete(`${rbac}/namespaces/default/rolebindings/s`)
    expect(await jane(configMaps)).toBe(403)
  })

  it('roles that are made of others follow them, and a new part counts at once', async () => {
    await using cluster = await Cluster.start({ listen: false, rbac: true })
    const api = new Api(cluster)
    const binding = {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    }
    await api.post(`${rbac}/clusterrolebindings`, { ...binding, subjects: [{ kind: 'Group', name: 'devs' }] })
    const jane = as(cluster, 'jane', 'devs')
    expect([await jane('/api/v1/pods'), await jane('/api/v1/secrets'), await jane('/api/v1/nodes')]).toEqual([
      200, 403, 403,
    ])
    await api.post(`${rbac}/clusterroles`, {
      metadata: { name: 'view-nodes', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    })
    while (!cluster.idle()) await new Promise((resolve) => setImmediate(resolve))
    expect(await jane('/api/v1/nodes')).toBe(200)
    await api.delete(`${rbac}/clusterroles/view-nodes`)
    while (!cluster.idle()) await new Promise((resolve) => setImmediate(resolve))
    expect(await jane('/api/v1/nodes')).toBe(403)
  })

  it('tokens of accounts count as they were signed, and while their account lives', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, rbac: true, clock })
    const api = new Api(cluster)
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
    const asked = await api.post('/api/v1/namespaces/default/serviceaccounts/bot/token', {
      spec: { expirationSeconds: 600 },
    })
    const { token } = asked.body.status
    const status = async (bearer: string) =>
      (await api.send('POST', whoami, {}, { authorization: `Bearer ${bearer}` })).status
    expect(await status(token)).toBe(201)
    expect(await status(`${token}x`)).toBe(401)
    const [head, body, signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: 'system:admin' })).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const bad of [
      `${head}.${forged}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}`,
      `${head}.${body}.AAAA`,
    ]) {
      expect(await status(bad)).toBe(401)
    }
    const account = '/api/v1/namespaces/default/serviceaccounts/bot'
    await api.patch(account, { metadata: { finalizers: ['a.b/c'] } })
    await api.delete(account)
    expect(await status(token)).toBe(201)
    await clock.advance(61)
    expect(await status(token)).toBe(401)
    await api.patch(account, { metadata: { finalizers: null } })
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
    expect(await status(token)).toBe(401)
  })

  it('tokens of accounts end with their time, on the clock of the cluster', async () => {
    const clock = new VirtualClock()
    await using cluster = await Cluster.start({ listen: false, rbac: true, clock })
    const api = new Api(cluster)
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
    const asked = await api.post('/api/v1/namespaces/default/serviceaccounts/bot/token', {
      spec: { expirationSeconds: 600 },
    })
    const { token } = asked.body.status
    const status = async (bearer: string) =>
      (await api.send('POST', whoami, {}, { authorization: `Bearer ${bearer}` })).status
    await clock.advance(599)
    expect(await status(token)).toBe(201)
    await clock.advance(120)
    expect(await status(token)).toBe(401)
  })
})

describe('users', () => {
  it('are refused when they could not be told apart, or could not sign in', async () => {
    const start = (users: object[], more: object = {}) =>
      Cluster.start({ listen: false, users: users as never, ...more })
    await expect(start([{ name: '' }])).rejects.toThrow('is empty, taken, or reserved')
    await expect(start([{ name: 'a' }, { name: 'a' }])).rejects.toThrow('is empty, taken, or reserved')
    await expect(start([{ name: 'system:anonymous' }])).rejects.toThrow('is empty, taken, or reserved')
    await expect(
      start([
        { name: 'a', token: 'x' },
        { name: 'b', token: 'x' },
      ]),
    ).rejects.toThrow('that of another user')
    await expect(start([{ name: 'a', signIn: 'certificate' }], { tls: false })).rejects.toThrow('needs TLS')
  })

  it('have kubeconfigs, and so have accounts; nobody else has', async () => {
    await using cluster = await Cluster.start({ rbac: true, users: [{ name: 'jane', token: 'secret' }] })
    const jane = parse(cluster.kubeconfig('jane'))
    expect(jane.users).toEqual([{ name: 'jane', user: { token: 'secret' } }])
    expect(Buffer.from(jane.clusters[0].cluster['certificate-authority-data'], 'base64').toString()).toContain(
      'CERTIFICATE',
    )
    const admin = parse(cluster.kubeconfig()).users[0].user
    expect(Object.keys(admin)).toEqual(['client-certificate-data', 'client-key-data', 'token'])
    expect(cluster.kubeconfig()).toContain(`token: ${admin.token}\n`)
    const { body } = await new Api(cluster).send('POST', whoami, {}, { authorization: `Bearer ${admin.token}` })
    expect(body.status.userInfo).toMatchObject({
      username: 'kubernetes-admin',
      groups: ['system:masters', 'system:authenticated'],
    })
    expect(() => cluster.kubeconfig('joe')).toThrow('No user "joe" in this cluster: name one of kubernetes-admin, jane')
    expect(() => cluster.kubeconfig('system:serviceaccount:a:b')).toThrow('No service account "b" in namespace "a"')
    await new Api(cluster).post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'bot' } })
    const bot = parse(cluster.kubeconfig('system:serviceaccount:default:bot'))
    expect(bot.users[0].user.token.split('.')).toHaveLength(3)
    expect(bot.contexts[0].context.namespace).toBe('default')
  })
})
