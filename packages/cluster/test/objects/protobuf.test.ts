import { describe, expect, it } from 'vitest'
import { decodeProtobuf } from '../../src/http/protobuf.ts'
import { encodeProtobuf } from '../../src/http/protobuf-writer.ts'
import { Cluster } from '../../src/index.ts'
import { Api, configMaps, widgetDefinition, widgets } from '../api.ts'

const accept = 'application/vnd.kubernetes.protobuf, application/json'

async function bytes(cluster: Cluster, path: string, headers: Record<string, string> = { accept }) {
  const signal = new AbortController().signal
  const answer = await cluster.transport().request({ method: 'GET', path, headers, signal })
  return { status: answer.status, type: answer.headers.get('content-type'), body: Buffer.from(answer.body) }
}

describe('answers in protobuf', () => {
  it('are what their JSON says, for objects, lists and refusals', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'x', labels: { a: 'b' } }, data: { k: 'v' } })
    const one = await bytes(cluster, `${configMaps}/x`)
    expect(one.type).toBe('application/vnd.kubernetes.protobuf')
    expect(decodeProtobuf(one.body)).toEqual((await api.get(`${configMaps}/x`)).body)
    const list = decodeProtobuf((await bytes(cluster, configMaps)).body)
    expect(list).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1', items: [{ data: { k: 'v' } }] })
    const missing = await bytes(cluster, `${configMaps}/nope`)
    expect(missing).toMatchObject({ status: 404, type: 'application/vnd.kubernetes.protobuf' })
  })

  it('keep every kind of value: times, quantities, ports, numbers, bytes, nested messages', () => {
    const pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', finalizers: ['a/b'], generation: 3 },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'i',
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: '100m' } },
            livenessProbe: { httpGet: { port: 'http' }, periodSeconds: 5 },
          },
        ],
        hostNetwork: true,
        terminationGracePeriodSeconds: 30,
      },
    }
    expect(decodeProtobuf(encodeProtobuf(pod) as Uint8Array)).toEqual(pod)
    const secret = {
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 's' },
      data: { k: 'aGVsbG8=' },
      type: 'Opaque',
    }
    expect(decodeProtobuf(encodeProtobuf(secret) as Uint8Array)).toEqual(secret)
    const lease = {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: { name: 'l' },
      spec: { renewTime: '2026-01-01T00:00:00.123456Z', leaseDurationSeconds: 15 },
    }
    expect(decodeProtobuf(encodeProtobuf(lease) as Uint8Array)).toEqual(lease)
  })

  it('of a watch come in frames, each with its length', async () => {
    await using cluster = await Cluster.start({ listen: false })
    const api = new Api(cluster)
    await api.post(configMaps, { metadata: { name: 'x' }, data: { k: 'v' } })
    const abort = new AbortController()
    const headers = { accept: 'application/vnd.kubernetes.protobuf;stream=watch, application/json' }
    const path = `${configMaps}?watch=true`
    const answer = await cluster.transport().stream({ method: 'GET', path, headers, signal: abort.signal })
    expect(answer.headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf;stream=watch')
    for await (const chunk of answer.body) {
      const frame = Buffer.from(chunk)
      expect(frame.readUInt32BE(0)).toBe(frame.length - 4)
      expect(frame.subarray(6, 11).toString()).toBe('ADDED')
      const object = frame.subarray(frame.indexOf('k8s\0'))
      expect(decodeProtobuf(object)).toMatchObject({ kind: 'ConfigMap', data: { k: 'v' } })
      break
    }
    abort.abort()
  })

  it('are refused for custom kinds, which have no messages, unless JSON will do', async () => {
    await using cluster = await Cluster.start({ listen: false, crds: [widgetDefinition()] })
    expect((await bytes(cluster, widgets)).type).toBe('application/json')
    const only = await bytes(cluster, widgets, { accept: 'application/vnd.kubernetes.protobuf' })
    expect(only).toMatchObject({ status: 406, type: 'application/vnd.kubernetes.protobuf' })
  })
})
