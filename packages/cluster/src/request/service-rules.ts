/** What the original fills in on Services and asks of them: addresses, ports on nodes, policies. Pure. */
import { isIP } from 'node:net'
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject, withoutKey } from '../object.ts'
import { wordCauses } from './metadata.ts'
import { oneOf, rangeCauses } from './pod-spec-checks.ts'

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const list = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((item: Json) => part(item)) : []

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']
const isOutside = (type: Json | undefined) => type === 'NodePort' || type === 'LoadBalancer'

/** Policies that depend on the type; they belong to whoever wrote the service. */
export function filledService(object: KubeObject): KubeObject {
  if (!isObject(object.spec)) return object
  const { spec } = object
  if (spec.type === 'ExternalName') return { ...object, spec: withoutKey(spec, 'internalTrafficPolicy') }
  if (!isOutside(spec.type)) return object
  const balanced = spec.type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}
  return { ...object, spec: { externalTrafficPolicy: 'Cluster', ...balanced, ...spec } }
}

/** A service has an address, unless it wants none, and a port on each node where its type says so; it keeps those that it has. */
export function addressedService(object: KubeObject, old?: KubeObject): KubeObject {
  const spec = part(object.spec)
  if (spec.type === 'ExternalName') return object
  const before = part(old?.spec)
  const uid = object.metadata.uid ?? ''
  const clusterIP = spec.clusterIP ?? before.clusterIP ?? addressFrom(uid)
  const alone = clusterIP === 'None' && spec.selector === undefined
  return {
    ...object,
    spec: {
      ...spec,
      ...(spec.ports === undefined ? {} : { ports: placed(spec, before, uid) }),
      clusterIP,
      clusterIPs: spec.clusterIPs ?? before.clusterIPs ?? [clusterIP],
      ipFamilies: spec.ipFamilies ?? before.ipFamilies ?? (alone ? ['IPv4', 'IPv6'] : ['IPv4']),
      ipFamilyPolicy: spec.ipFamilyPolicy ?? before.ipFamilyPolicy ?? (alone ? 'RequireDualStack' : 'SingleStack'),
    },
  }
}

/** From the uid, so that it needs no ledger: two services of one address are as likely as two equal names of five letters. */
function addressFrom(uid: string): string {
  return `10.96.${byte(uid, 0)}.${byte(uid, 2)}`
}

const byte = (uid: string, at: number) => Number.parseInt(uid.replace(/-/g, '').slice(at, at + 2), 16) || 1

function placed(spec: JsonObject, before: JsonObject, uid: string): Json {
  const ports = list(spec.ports)
  if (!isOutside(spec.type)) return isOutside(before.type) ? ports.map((port) => withoutKey(port, 'nodePort')) : ports
  if (spec.allocateLoadBalancerNodePorts === false) return ports
  const first = (byte(uid, 4) * 256 + byte(uid, 6)) % 2768
  return ports.map((port, i) => {
    const known = list(before.ports).find((other) => other.port === port.port && other.protocol === port.protocol)
    return { ...port, nodePort: port.nodePort ?? known?.nodePort ?? 30_000 + ((first + i) % 2768) }
  })
}

export function serviceCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const spec = part(object.spec)
  return [
    ...portsCauses(spec),
    ...oneOf(spec.sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity'),
    ...addressCauses(spec, part(old?.spec)),
    ...(types.includes(String(spec.type ?? 'ClusterIP')) ? [] : [notSupported('spec.type', spec.type, types)]),
    ...(spec.type === 'ExternalName' && (spec.externalName ?? '') === '' ? [required('spec.externalName')] : []),
    ...outsideCauses(spec),
    ...balancerCauses(object, old),
  ]
}

/** Ports are needed unless there is no address, and names as soon as there are several. */
function portsCauses(spec: JsonObject): Cause[] {
  const ports = list(spec.ports)
  if (ports.length === 0 && spec.clusterIP !== 'None' && spec.type !== 'ExternalName') return [required('spec.ports')]
  return ports.flatMap((port, i): Cause[] => {
    const at = `spec.ports[${i}]`
    const alike = (other: JsonObject) => other.port === port.port && other.protocol === port.protocol
    const name = String(port.name ?? '')
    return [
      ...(name === '' && ports.length > 1 ? [required(`${at}.name`)] : []),
      ...(name === '' ? [] : wordCauses(name, `${at}.name`)),
      ...rangeCauses(port.port ?? 0, `${at}.port`),
      ...oneOf(port.protocol, ['SCTP', 'TCP', 'UDP'], `${at}.protocol`),
      ...rangeCauses(port.targetPort, `${at}.targetPort`),
      ...(ports.findIndex(alike) < i ? [duplicate(at, bare(port))] : []),
    ]
  })
}

/** What makes two ports alike, in the original's own form. */
const bare = ({ port, protocol }: JsonObject): Json => ({
  ...{ Name: '', Protocol: protocol ?? 'TCP', AppProtocol: null, Port: port ?? 0 },
  ...{ TargetPort: 0, NodePort: 0 },
})

function addressCauses(spec: JsonObject, before: JsonObject): Cause[] {
  const { clusterIP } = spec
  if (typeof clusterIP !== 'string' || clusterIP === '' || clusterIP === 'None') return []
  if (isIP(clusterIP) === 0) {
    const why = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
    return [invalidValue('spec.clusterIPs[0]', clusterIP, why)]
  }
  const had = before.type !== 'ExternalName' && spec.type !== 'ExternalName' ? before.clusterIP : undefined
  if (had === undefined || had === clusterIP) return []
  return [invalidValue('spec.clusterIPs[0]', [clusterIP], 'may not change once set')]
}

function outsideCauses(spec: JsonObject): Cause[] {
  const { externalTrafficPolicy: policy } = spec
  if (policy === undefined || isOutside(spec.type) || Array.isArray(spec.externalIPs)) return []
  return [invalidValue('spec.externalTrafficPolicy', policy, 'may only be set for externally-accessible services')]
}

function balancerCauses({ spec, status }: KubeObject, old: KubeObject | undefined): Cause[] {
  const ingress = field(field(status, 'loadBalancer'), 'ingress')
  if (!Array.isArray(ingress) || ingress.length === 0 || field(spec, 'type') === 'LoadBalancer') return []
  if (equalJson(status, old?.status)) return []
  return [forbiddenField('status.loadBalancer.ingress', "may only be used when `spec.type` is 'LoadBalancer'")]
}
