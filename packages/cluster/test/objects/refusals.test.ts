/** What a kube-apiserver 1.36 refuses of built-in objects, and in which words: asked of a live one. */
import { describe, expect, it } from 'vitest'
import { Cluster } from '../../src/index.ts'
import { type Any, Api } from '../api.ts'

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const container = { name: 'c', image: 'i' }
const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
const deployment = { selector: { matchLabels: { a: 'b' } }, template }
const once = { spec: { restartPolicy: 'Never', containers: [container] } }
const port = { port: 80 }

const paths: Record<string, string> = {
  pods: '/api/v1/namespaces/default/pods',
  secrets: '/api/v1/namespaces/default/secrets',
  services: '/api/v1/namespaces/default/services',
  deployments: '/apis/apps/v1/namespaces/default/deployments',
  jobs: '/apis/batch/v1/namespaces/default/jobs',
  cronjobs: '/apis/batch/v1/namespaces/default/cronjobs',
}

const rows: readonly (readonly [string, object, string])[] = [
  ['pods', {}, 'spec.containers: Required value'],
  ['pods', { spec: { containers: [container, container] } }, 'spec.containers[1].name: Duplicate value: "c"'],
  [
    'pods',
    { spec: { containers: [{ ...container, name: 'C' }] } },
    `spec.containers[0].name: Invalid value: "C": ${label}`,
  ],
  ['pods', { spec: { containers: [{ name: 'c' }] } }, 'spec.containers[0].image: Required value'],
  [
    'pods',
    { spec: { containers: [container], restartPolicy: 'X' } },
    'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
  ],
  [
    'pods',
    { spec: { containers: [{ ...container, volumeMounts: [{ name: 'v', mountPath: '/x' }] }] } },
    'spec.containers[0].volumeMounts[0].name: Not found: "v"',
  ],
  [
    'pods',
    { spec: { containers: [container], volumes: [{ name: 'v' }, { name: 'v' }] } },
    'spec.volumes[1].name: Duplicate value: "v"',
  ],
  ['secrets', { type: 'kubernetes.io/tls' }, '[data[tls.crt]: Required value, data[tls.key]: Required value]'],
  ['secrets', { type: 'kubernetes.io/basic-auth' }, '[data[username]: Required value, data[password]: Required value]'],
  [
    'secrets',
    { type: 'kubernetes.io/service-account-token' },
    'metadata.annotations[kubernetes.io/service-account.name]: Required value',
  ],
  ['services', { spec: { type: 'ExternalName' } }, 'spec.externalName: Required value'],
  [
    'services',
    { spec: { type: 'Bogus', ports: [port] } },
    'spec.type: Unsupported value: "Bogus": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
  ],
  [
    'services',
    {
      spec: {
        ports: [
          { ...port, name: 'a' },
          { ...port, name: 'b' },
        ],
      },
    },
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  ],
  [
    'services',
    { spec: { ports: [port], externalTrafficPolicy: 'Local' } },
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  ],
  [
    'deployments',
    { spec: { template } },
    '[spec.selector: Required value, spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`]',
  ],
  [
    'deployments',
    { spec: { ...deployment, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
  ],
  [
    'deployments',
    { spec: { ...deployment, template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } } },
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    'jobs',
    { spec: { template: { spec: { containers: [container] } } } },
    'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
  ],
  [
    'jobs',
    { spec: { parallelism: -1, template: once } },
    'spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
  ],
  [
    'cronjobs',
    { spec: { schedule: 'x', jobTemplate: { spec: { template: once } } } },
    'spec.schedule: Invalid value: "x": expected exactly 5 fields, found 1: [x]',
  ],
]

describe('built-in objects', () => {
  it('are refused in the words of the original', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    for (const [plural, object, message] of rows) {
      const { status, body } = await api.post(paths[plural] ?? '', { metadata: { name: 'x' }, ...object })
      expect([status, String(body.message).replace(/^\S+ "x" is invalid: /, '')]).toEqual([422, message])
    }
  })

  it('of the kind Service get ports on nodes by their type, and keep their address', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    const services = paths.services ?? ''
    const create = async (name: string, spec: object): Promise<Any> =>
      (await api.post(services, { metadata: { name }, spec })).body.spec
    const open = await create('n', { type: 'NodePort', ports: [port] })
    expect(open).toMatchObject({ externalTrafficPolicy: 'Cluster', ports: [{ port: 80 }] })
    expect(open.ports[0].nodePort).toBeGreaterThanOrEqual(30_000)
    expect(await create('l', { type: 'LoadBalancer', ports: [port] })).toMatchObject({
      allocateLoadBalancerNodePorts: true,
    })
    expect(await create('e', { type: 'ExternalName', externalName: 'x.y' })).not.toHaveProperty('internalTrafficPolicy')
    const more = {
      spec: {
        ports: [
          { ...port, name: 'a' },
          { port: 81, name: 'b' },
        ],
      },
    }
    const { body: wider } = await api.patch(`${services}/n`, more)
    expect(wider.spec.ports[0].nodePort).toBe(open.ports[0].nodePort)
    const { body: closed } = await api.patch(`${services}/n`, {
      spec: { type: 'ClusterIP', externalTrafficPolicy: null },
    })
    expect(closed.spec.ports.map((each: Any) => each.nodePort)).toEqual([undefined, undefined])
    const { status, body } = await api.patch(`${services}/n`, { spec: { clusterIP: '10.96.255.254' } })
    expect([status, body.details.causes[0].field]).toEqual([422, 'spec.clusterIPs[0]'])
  })
})
