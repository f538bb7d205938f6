import { apiError } from '@binnacle/core'
import {
  type Client,
  connect,
  index,
  KubeConfig,
  type Operator,
  operator,
  type Resource,
  type RunningOperator,
} from 'binnacle'
import { describe, expect, it } from 'vitest'
import { Plain, Widget } from './kinds.ts'
import { isReal, realKubeconfig, type Scene, stage } from './world.ts'

const { scene } = stage(Widget, Plain)

const named = (name: string) => ({ metadata: { name }, spec: {} })

/** Somebody who may do nothing until it is granted, and the operator that runs as him. */
interface Account extends AsyncDisposable {
  readonly client: Client
  grant(resource: Resource): Promise<void>
}

/** On a real cluster a service account, its Role and its RoleBinding; elsewhere, where everybody may do everything, a client that refuses. */
async function account(s: Scene): Promise<Account> {
  return isReal ? serviceAccount(s) : refusing(s)
}

async function serviceAccount(s: Scene): Promise<Account> {
  const user = `system:serviceaccount:${s.namespace}:worker`
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'worker' } }
  const rules: object[] = [{ apiGroups: [''], resources: ['events'], verbs: ['*'] }]
  await s.client.create('serviceaccounts', { metadata: { name: 'worker' } })
  await s.client.create('roles.rbac.authorization.k8s.io', { ...role, kind: 'Role', rules } as never)
  await s.client.create('rolebindings.rbac.authorization.k8s.io', {
    ...role,
    kind: 'RoleBinding',
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'worker' },
    subjects: [{ kind: 'ServiceAccount', name: 'worker', namespace: s.namespace }],
  } as never)
  const connection = await (await KubeConfig.fromFile(realKubeconfig())).connection()
  const client = await connect({ kubeconfig: connection, impersonate: { user } })
  return {
    client,
    async grant({ group, plural }) {
      rules.push({ apiGroups: [group], resources: [plural, `${plural}/status`], verbs: ['*'] })
      await s.client.patch('roles.rbac.authorization.k8s.io', 'worker', { rules } as never)
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  }
}

function refusing(s: Scene): Account {
  const granted = new Set<string>()
  const refuse = (resource: Resource) => {
    if (!granted.has(resource.plural)) throw forbidden(resource)
  }
  const own = {
    list: async (resource: Resource, options: object) => {
      refuse(resource)
      return s.world.client.list(resource, options)
    },
    async *watch(resource: Resource, options: object) {
      refuse(resource)
      yield* s.world.client.watch(resource, options)
    },
  }
  const client = new Proxy(s.world.client, {
    get(target, name) {
      if (name in own) return own[name as keyof typeof own]
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  return {
    client,
    grant: async ({ plural }) => void granted.add(plural),
    [Symbol.asyncDispose]: async () => {},
  }
}

function forbidden({ group, plural }: Resource): Error {
  const message = `${plural}.${group} is forbidden: User "worker" cannot list resource "${plural}" in API group "${group}"`
  return apiError({ code: 403, reason: 'Forbidden', message }, { request: { method: 'GET', path: '/' } })
}

/** Runs the operator as somebody else, which no world can do by itself. */
async function run(s: Scene, op: Operator, { client }: Account) {
  const lines: string[] = []
  const { clock } = s.world
  const logger = { format: 'text' as const, write: (line: string) => void lines.push(line) }
  const running = await op.start({ client, clock, logger, namespaces: [s.namespace] })
  const said = (part: string) => lines.filter((line) => line.includes(part)).length
  return { running, lines, said, [Symbol.asyncDispose]: () => stop(s, running) }
}

async function stop(s: Scene, running: RunningOperator): Promise<void> {
  let over = false
  const stopped = running.stop().then(() => {
    over = true
  })
  while (!over) await Promise.race([stopped, s.pass(0.1)])
}

describe('an operator that may not do all that it wants', () => {
  it('does the rest, says once what is missing, and goes on by itself when it is granted', async () => {
    await using s = await scene()
    await using worker = await account(s)
    await worker.grant(Widget as unknown as Resource)
    const op = operator('modest')
    op.on.create(Widget, { id: 'widget' }, () => 'handled')
    op.on.create(Plain, { id: 'plain' }, () => 'handled')
    await using subject = await run(s, op as Operator, worker)
    await s.client.create(Widget, named('a'))
    await s.client.create(Plain, named('a'))
    await s.until(Widget, 'a', ({ status }) => status?.widget === 'handled')
    const { streams, scope } = subject.running.health()
    const refused = streams.find(({ resource }) => resource === 'plains.e2e.example.com')
    expect(refused?.error).toContain('plains')
    expect(scope.definitions.state).toBe('failed')
    expect(subject.said('may not list or watch plains.e2e.example.com in namespace')).toBe(1)
    expect(subject.said('resources: ["plains"], verbs: ["list", "watch", "get", "patch"]')).toBe(1)
    expect(subject.said('may not list or watch customresourcedefinitions.apiextensions.k8s.io')).toBe(1)
    await worker.grant(Plain as unknown as Resource)
    await s.until(Plain, 'a', ({ status }) => status?.plain === 'handled')
    expect(subject.said('may not list or watch plains')).toBe(1)
  })

  it('runs no handler while an index cannot be filled, and says so', async () => {
    await using s = await scene()
    await using worker = await account(s)
    await worker.grant(Widget as unknown as Resource)
    const op = operator('blind', { indices: { plains: index(Plain, ({ name }) => name) } })
    op.on.create(Widget, { id: 'widget' }, ({ plains }) => plains.get(null).toArray())
    await s.client.create(Plain, named('p'))
    await s.client.create(Widget, named('a'))
    await using subject = await run(s, op as unknown as Operator, worker)
    expect(subject.running.health()).toMatchObject({
      live: true,
      ready: false,
      gate: {
        open: false,
        listed: 0,
        of: 1,
        awaited: [{ resource: 'plains.e2e.example.com', namespace: s.namespace }],
      },
    })
    await s.when(() => subject.said('Handlers wait for the indices: 0 of 1 lists are complete') > 0)
    expect((await s.client.get(Widget, 'a')).status).toBeUndefined()
    await worker.grant(Plain as unknown as Resource)
    const { status } = await s.until(Widget, 'a', (object) => object.status !== undefined)
    expect(status).toEqual({ widget: ['p'] })
    expect(subject.running.health().ready).toBe(true)
  })
})
