import { connect, KubeConfig } from '@binnacle/client'
import { Cluster } from '@binnacle/cluster'
import { ForbiddenError, UnauthorizedError } from '@binnacle/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Our own client, by the kubeconfigs that the cluster hands out, over real sockets with TLS. */
const account = 'system:serviceaccount:default:bot'
let cluster: Cluster
beforeAll(async () => {
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot' } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'Group', name: 'devs' },
        { kind: 'ServiceAccount', name: 'bot' },
      ],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
  ]
  const users = [
    { name: 'jane', groups: ['devs'] },
    { name: 'joe' },
    { name: 'eve', groups: ['devs'], signIn: 'certificate' as const },
  ]
  cluster = await Cluster.start({ rbac: true, users, objects })
})
afterAll(() => cluster.stop())

const open = async (user?: string) => connect({ kubeconfig: KubeConfig.fromString(cluster.kubeconfig(user)) })

describe('by its kubeconfig', () => {
  it.each(['jane', 'eve', account])(
    '%s reads what his role allows, watches it, and is refused the rest',
    async (user) => {
      await using client = await open(user)
      await using admin = await open()
      expect((await client.get('configmaps', 'default/a')).metadata.name).toBe('a')
      const { metadata } = await client.list('configmaps', { namespace: 'default' })
      const watch = client.watch('configmaps', {
        namespace: 'default',
        resourceVersion: metadata.resourceVersion,
      })
      const name = `of-${user.replace(/[^a-z]/g, '-')}`
      await admin.create('configmaps', { metadata: { namespace: 'default', name } })
      for await (const event of watch) {
        expect(event).toMatchObject({ type: 'ADDED', object: { metadata: { name } } })
        break
      }
      await expect(client.create('configmaps', { metadata: { namespace: 'default', name: 'b' } })).rejects.toThrow(
        ForbiddenError,
      )
      await expect(client.list('configmaps', { namespace: 'kube-system' })).rejects.toThrow(
        `User "${user}" cannot list resource "configmaps"`,
      )
    },
  )

  it('a user without a role is known, and refused', async () => {
    await using client = await open('joe')
    await expect(client.get('configmaps', 'default/a')).rejects.toThrow('User "joe" cannot get resource "configmaps"')
  })

  it('a wrong token is a 401', async () => {
    await using client = await connect({ kubeconfig: { ...cluster.connectionOf('joe'), token: 'wrong' } })
    await expect(client.get('configmaps', 'default/a')).rejects.toThrow(UnauthorizedError)
  })

  it('the administrator acts as somebody else', async () => {
    await using client = await connect({
      kubeconfig: { ...cluster.connection, impersonate: { user: 'joe', groups: ['devs'] } },
    })
    expect((await client.get('configmaps', 'default/a')).metadata.name).toBe('a')
    await expect(client.get('secrets', 'default/a')).rejects.toThrow('User "joe" cannot get resource "secrets"')
  })
})
