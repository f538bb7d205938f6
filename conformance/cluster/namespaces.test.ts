import { beforeAll, describe, expect, it } from 'vitest'
import type { Loose } from './exchange.ts'
import { MERGE, openStage, SLOW } from './stage.ts'
import { widget, widgets } from './widget.ts'

const stage = openStage()
beforeAll(() => stage.define(widgets(stage.group)), 120_000)

const maps = (namespace = stage.namespace) => stage.path('configmaps', 'v1', namespace)
const newMap = (metadata: Loose = {}) => stage.created(maps(), { metadata: { name: stage.name(), ...metadata } })
const at = ({ metadata }: Loose) => `${maps()}/${metadata.name}`
const ownedBy = (...owners: readonly Loose[]) => ({
  ownerReferences: owners.map(({ metadata, ...more }) => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid },
    ...(more['blocks'] ? { blockOwnerDeletion: true } : {}),
  })),
})
const gone = (path: string) => stage.until(path, ({ code }) => code === 404)

describe('namespaces', () => {
  it(
    'KA141, KA143: one that goes takes nothing new, and waits for what is held',
    async () => {
      const namespace = await stage.makeNamespace()
      const custom = stage.path('widgets', `${stage.group}/v1`, namespace)
      await stage.created(maps(namespace), { metadata: { name: 'a' } })
      const held = { ...widget(stage.group, 'held'), metadata: { name: 'held', finalizers: ['example.com/held'] } }
      await stage.created(custom, held)
      const { code, body } = await stage.delete(`/api/v1/namespaces/${namespace}`)
      expect(code).toBe(200)
      expect(body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } })
      const refused = await stage.post(maps(namespace), { metadata: { name: 'new' } })
      expect(refused).toMatchObject({
        ...{ code: 403, body: { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } } },
      })
      expect((await stage.patch(`${custom}/held`, MERGE, { spec: { color: 'red' } })).code).toBe(200)
      const has = (status: string) => (answer: Loose) =>
        answer.body.status?.conditions?.some(
          (condition: Loose) => condition.type === 'NamespaceFinalizersRemaining' && condition.status === status,
        )
      await stage.until(`/api/v1/namespaces/${namespace}`, has('True'))
      await gone(`${maps(namespace)}/a`)
      await stage.patch(`${custom}/held`, MERGE, { metadata: { finalizers: null } })
      await gone(`/api/v1/namespaces/${namespace}`)
    },
    SLOW,
  )

  it('KA142: the first ones stay', async () => {
    for (const name of ['default', 'kube-system', 'kube-public']) {
      expect((await stage.delete(`/api/v1/namespaces/${name}?dryRun=All`)).code).toBe(403)
    }
  })
})

describe('garbage collection', () => {
  it('KA144: what is owned goes after its owner', async () => {
    const owner = await newMap()
    const owned = await newMap(ownedBy(owner))
    await stage.delete(at(owner), { propagationPolicy: 'Background' })
    await gone(at(owned))
  })

  it('KA144: in the foreground the owner waits for those who block it', async () => {
    const owner = await newMap()
    const owned = await newMap({ ...ownedBy({ ...owner, blocks: true }), finalizers: ['example.com/held'] })
    // A collector that has not seen the owned object yet would let its owner go.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await stage.delete(at(owner), { propagationPolicy: 'Foreground' })
    await stage.until(at(owned), ({ body }) => body.metadata?.deletionTimestamp !== undefined)
    expect((await stage.get(at(owner))).body.metadata.finalizers).toEqual(['foregroundDeletion'])
    await stage.patch(at(owned), MERGE, { metadata: { finalizers: null } })
    await gone(at(owner))
  })

  it('KA144: an orphan stays, without its owner', async () => {
    const owner = await newMap()
    const owned = await newMap(ownedBy(owner))
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await stage.delete(at(owner), { propagationPolicy: 'Orphan' })
    await gone(at(owner))
    const { body } = await stage.get(at(owned))
    expect(body.metadata.ownerReferences).toBeUndefined()
  })

  it('KA144: an owner of another uid is no owner', async () => {
    const owner = await newMap()
    const other = { metadata: { ...owner.metadata, uid: '11111111-2222-3333-4444-555555555555' } }
    const owned = await newMap(ownedBy(other))
    await gone(at(owned))
    expect((await stage.get(at(owner))).code).toBe(200)
  })

  it('KA144: with two owners it stays until both are gone', async () => {
    const [one, two] = [await newMap(), await newMap()]
    const owned = await newMap(ownedBy(one, two))
    await stage.delete(at(one), { propagationPolicy: 'Background' })
    await stage.until(at(owned), ({ body }) => body.metadata?.ownerReferences?.length === 1)
    await stage.delete(at(two), { propagationPolicy: 'Background' })
    await gone(at(owned))
  })
})
