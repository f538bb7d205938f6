import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api } from '../api.ts'

const core = '/api/v1/namespaces/default'
const apps = '/apis/apps/v1/namespaces/default'
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
})
const workload = (name: string, more: object = {}) => ({
  metadata: { name },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template('a:1'), ...more },
})

async function settled(cluster: Cluster): Promise<void> {
  for (let quiet = 0; quiet < 5; ) {
    quiet = cluster.idle() ? quiet + 1 : 0
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function world() {
  const cluster = await Cluster.start({ listen: false, controllers: true, seed: 1 })
  const api = new Api(cluster)
  const pods = async (): Promise<Any[]> => (await api.get(`${core}/pods`)).body.items
  const done = async () => {
    await settled(cluster)
    return pods()
  }
  return { cluster, api, done }
}

describe('with controllers', () => {
  it('a Deployment has a ReplicaSet, which has pods, which are ready', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    await api.post(`${apps}/deployments`, workload('web', { replicas: 3 }))
    const pods = await done()
    expect(pods.map((pod) => [pod.status.phase, pod.spec.nodeName, pod.spec.containers[0].image])).toEqual(
      Array.from({ length: 3 }, () => ['Running', 'embedded', 'a:1']),
    )
    expect(pods[0].metadata.name).toMatch(/^web-[a-z0-9]{10}-[a-z0-9]{5}$/)
    const { body } = await api.get(`${apps}/deployments/web`)
    expect(body.status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
      observedGeneration: 1,
    })
    expect(body.status.conditions).toMatchObject([
      { type: 'Available', status: 'True' },
      { type: 'Progressing', reason: 'NewReplicaSetAvailable' },
    ])
    expect(body.metadata.annotations['deployment.kubernetes.io/revision']).toBe('1')
  })

  it('a new image, more replicas, and none follow at once; what is deleted by hand comes back', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    await api.post(`${apps}/deployments`, workload('web'))
    const [first] = await done()
    await api.delete(`${core}/pods/${first.metadata.name}`)
    const [second, ...others] = await done()
    expect([others.length, second.metadata.name === first.metadata.name]).toEqual([0, false])
    await api.patch(`${apps}/deployments/web`, { spec: { replicas: 2, template: template('a:2') } })
    expect((await done()).map((pod) => pod.spec.containers[0].image)).toEqual(['a:2', 'a:2'])
    expect(
      (await api.get(`${apps}/deployments/web`)).body.metadata.annotations['deployment.kubernetes.io/revision'],
    ).toBe('2')
    expect((await api.get(`${apps}/replicasets`)).body.items).toHaveLength(2)
    await api.patch(`${apps}/deployments/web/scale`, { spec: { replicas: 0 } })
    expect(await done()).toEqual([])
    await api.delete(`${apps}/deployments/web`, { propagationPolicy: 'Background' })
    await done()
    expect((await api.get(`${apps}/replicasets`)).body.items).toEqual([])
  })

  it('a StatefulSet has pods with names that last', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    await api.post(`${apps}/statefulsets`, workload('db', { replicas: 2, serviceName: 'db' }))
    const names = async () => (await done()).map((pod) => `${pod.metadata.name} ${pod.spec.containers[0].image}`)
    expect(await names()).toEqual(['db-0 a:1', 'db-1 a:1'])
    await api.patch(`${apps}/statefulsets/db`, { spec: { template: template('a:2') } })
    expect(await names()).toEqual(['db-0 a:2', 'db-1 a:2'])
    await api.patch(`${apps}/statefulsets/db`, { spec: { replicas: 1 } })
    expect(await names()).toEqual(['db-0 a:2'])
    expect((await api.get(`${apps}/statefulsets/db`)).body.status).toMatchObject({ replicas: 1, readyReplicas: 1 })
  })

  it('a DaemonSet has a pod on the one node', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    await api.post(`${apps}/daemonsets`, workload('agent'))
    expect(await done()).toHaveLength(1)
    expect((await api.get(`${apps}/daemonsets/agent`)).body.status).toMatchObject({
      numberReady: 1,
      desiredNumberScheduled: 1,
    })
    expect((await api.get('/api/v1/nodes/embedded')).body.status.conditions[0]).toMatchObject({
      type: 'Ready',
      status: 'True',
    })
  })

  it('a Job completes', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    const spec = {
      completions: 3,
      parallelism: 2,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'a' }] } },
    }
    await api.post('/apis/batch/v1/namespaces/default/jobs', { metadata: { name: 'sum' }, spec })
    expect((await done()).map((pod) => pod.status.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded'])
    const { body } = await api.get('/apis/batch/v1/namespaces/default/jobs/sum')
    expect(body.status).toMatchObject({
      succeeded: 3,
      conditions: [{ type: 'SuccessCriteriaMet' }, { type: 'Complete', status: 'True' }],
    })
  })

  it('every namespace has its account and its certificate, also again after somebody deleted them', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    await api.post('/api/v1/namespaces', { metadata: { name: 'shop' } })
    await done()
    for (const namespace of ['default', 'kube-system', 'shop']) {
      expect((await api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status).toBe(200)
      const { body } = await api.get(`/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt`)
      expect(body.data['ca.crt']).toContain('BEGIN CERTIFICATE')
    }
    await api.delete('/api/v1/namespaces/shop/serviceaccounts/default')
    await done()
    expect((await api.get('/api/v1/namespaces/shop/serviceaccounts/default')).status).toBe(200)
    await api.delete('/api/v1/namespaces/shop')
    await done()
    expect((await api.get('/api/v1/namespaces/shop')).status).toBe(404)
  })

  it('a pod of another scheduler is left alone, and without controllers nothing runs', async () => {
    const { cluster, api, done } = await world()
    await using _ = cluster
    const pod = { metadata: { name: 'mine' }, spec: { schedulerName: 'mine', containers: [{ name: 'c', image: 'a' }] } }
    await api.post(`${core}/pods`, pod)
    expect((await done())[0].status.phase).toBe('Pending')
    await using plain = await Cluster.start({ listen: false })
    const other = new Api(plain)
    await other.post(`${apps}/deployments`, workload('web'))
    await settled(plain)
    expect((await other.get(`${apps}/replicasets`)).body.items).toEqual([])
    expect((await other.get('/api/v1/serviceaccounts')).body.items).toEqual([])
  })
})
