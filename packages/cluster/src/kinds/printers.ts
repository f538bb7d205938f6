/**
 * The cells of built-in kinds' tables, by kind and column. A column that is not here has a general meaning, or is empty.
 * All functions are pure.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { field } from '../object.ts'
import { ageOf, humanDuration, selectorText } from './human.ts'

export type Printer = (object: KubeObject, now: Date) => Json
export type Printers = { readonly [column: string]: Printer }

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const parts = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((v: Json) => part(v)) : []
const text = (value: Json | undefined, absent = '') => (value === undefined || value === null ? absent : String(value))
const count = (value: Json | undefined): number => (typeof value === 'number' ? value : 0)
const size = (value: Json | undefined): number =>
  Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0
const joined = (values: readonly string[], absent = '<none>') => values.join(',') || absent

const at =
  (path: string, absent = ''): Printer =>
  (object) => {
    let value: Json | undefined = object
    for (const name of path.split('.')) value = field(value, name)
    return value === undefined || value === null ? absent : typeof value === 'object' ? '' : value
  }
const number =
  (path: string): Printer =>
  (object) => {
    const value = at(path)(object, new Date(0))
    return typeof value === 'number' ? value : 0
  }
const flag =
  (path: string): Printer =>
  (object) =>
    at(path)(object, new Date(0)) === true
const sizeOf =
  (name: string): Printer =>
  (object) =>
    size(object[name])

function templateSpec({ spec, template }: KubeObject): JsonObject {
  const found = field(spec, 'template') ?? field(field(field(spec, 'jobTemplate'), 'spec'), 'template') ?? template
  return part(field(found, 'spec'))
}

/** Columns that mean the same for every kind. */
export const general: Printers = {
  Name: ({ metadata }) => metadata.name ?? '',
  Age: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
  'Created At': ({ metadata }) => metadata.creationTimestamp ?? null,
  Containers: (object) =>
    joined(
      parts(templateSpec(object).containers).map((c) => text(c.name)),
      '',
    ),
  Images: (object) =>
    joined(
      parts(templateSpec(object).containers).map((c) => text(c.image)),
      '',
    ),
  Selector: ({ spec }) => selectorText(field(spec, 'selector')),
}

function podReady({ status, spec }: KubeObject): string {
  const all = parts(field(spec, 'containers')).length
  return `${parts(field(status, 'containerStatuses')).filter((c) => c.ready === true).length}/${all}`
}

function podStatus({ metadata, status }: KubeObject): string {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  const reasons = parts(field(status, 'containerStatuses')).map((c) => {
    const state = part(c.state)
    return text(part(state.waiting).reason ?? part(state.terminated).reason)
  })
  return reasons.find((reason) => reason !== '') ?? text(field(status, 'reason') ?? field(status, 'phase'), 'Unknown')
}

const restarts = ({ status }: KubeObject) =>
  String(parts(field(status, 'containerStatuses')).reduce((sum, c) => sum + count(c.restartCount), 0))

function readinessGates({ spec, status }: KubeObject): string {
  const gates = parts(field(spec, 'readinessGates'))
  if (gates.length === 0) return '<none>'
  const conditions = parts(field(status, 'conditions'))
  const met = gates.filter((g) => conditions.some((c) => c.type === g.conditionType && c.status === 'True'))
  return `${met.length}/${gates.length}`
}

function externalAddress({ spec, status }: KubeObject): string {
  const given = field(spec, 'externalIPs')
  const own = Array.isArray(given) ? given.map((ip: Json) => String(ip)) : []
  switch (field(spec, 'type')) {
    case 'ExternalName':
      return text(field(spec, 'externalName'))
    case 'LoadBalancer': {
      const ingress = parts(field(field(status, 'loadBalancer'), 'ingress')).map((i) => text(i.ip ?? i.hostname))
      return joined([...ingress, ...own], '<pending>')
    }
    default:
      return joined(own)
  }
}

const servicePorts = ({ spec }: KubeObject) =>
  joined(
    parts(field(spec, 'ports')).map(
      (p) => `${text(p.port)}${p.nodePort ? `:${text(p.nodePort)}` : ''}/${text(p.protocol)}`,
    ),
  )

function jobStatus({ status, spec, metadata }: KubeObject): string {
  const found = parts(field(status, 'conditions')).filter((c) => c.status === 'True')
  const has = (type: string) => found.some((c) => c.type === type)
  if (has('Complete')) return 'Complete'
  if (has('Failed')) return 'Failed'
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  if (has('Suspended') || field(spec, 'suspend') === true) return 'Suspended'
  return has('FailureTarget') ? 'FailureTarget' : has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running'
}

function jobCompletions({ spec, status }: KubeObject): string {
  const [wanted, parallel] = [field(spec, 'completions'), count(field(spec, 'parallelism'))]
  const done = count(field(status, 'succeeded'))
  if (wanted !== undefined) return `${done}/${text(wanted)}`
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`
}

function jobDuration({ status }: KubeObject, now: Date): string {
  const start = field(status, 'startTime')
  if (typeof start !== 'string') return ''
  const end = field(status, 'completionTime')
  return humanDuration((typeof end === 'string' ? Date.parse(end) : now.getTime()) - Date.parse(start))
}

function nodeStatus({ spec, status }: KubeObject): string {
  const ready = parts(field(status, 'conditions')).find((c) => c.type === 'Ready')
  const words = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown']
  return joined(field(spec, 'unschedulable') === true ? [...words, 'SchedulingDisabled'] : words)
}

const nodeRoles = ({ metadata }: KubeObject) =>
  joined(
    Object.keys(metadata.labels ?? {})
      .filter((key) => key.startsWith('node-role.kubernetes.io/'))
      .map((key) => key.slice('node-role.kubernetes.io/'.length)),
  )

const nodeAddress =
  (type: string): Printer =>
  ({ status }) =>
    text(parts(field(status, 'addresses')).find((a) => a.type === type)?.address, '<none>')

const modes = new Map([
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
])
const accessModes = (list: Json | undefined) =>
  Array.isArray(list) ? list.map((mode: Json) => modes.get(String(mode)) ?? String(mode)).join(',') : ''

function eventObject(object: KubeObject): string {
  const about = part(object.involvedObject ?? object.regarding)
  return `${text(about.kind).toLowerCase()}/${text(about.name)}`
}

function eventSource(object: KubeObject): string {
  const source = part(object.source ?? object.deprecatedSource)
  const component = text(source.component ?? object.reportingComponent ?? object.reportingController)
  return joined(
    [component, text(source.host)].filter((word) => word !== ''),
    '',
  )
}

const seen =
  (...names: string[]): Printer =>
  (object, now) =>
    ageOf(
      names.map((name) => object[name]).find((time) => time !== undefined && time !== null),
      now,
    )

const subjects =
  (kind: string): Printer =>
  (object) =>
    joined(
      parts(object.subjects)
        .filter((s) => s.kind === kind)
        .map((s) => (kind === 'ServiceAccount' ? `${text(s.namespace)}/${text(s.name)}` : text(s.name))),
      '',
    )

function ingressPorts({ spec }: KubeObject): string {
  return size(field(spec, 'tls')) > 0 ? '80, 443' : '80'
}

const ingressAddress = ({ status }: KubeObject) =>
  joined(
    parts(field(field(status, 'loadBalancer'), 'ingress')).map((i) => text(i.ip ?? i.hostname)),
    '',
  )

const ingressHosts = ({ spec }: KubeObject) =>
  joined(
    parts(field(spec, 'rules')).map((rule) => text(rule.host, '*')),
    '*',
  )

const reference = ({ spec }: KubeObject) => {
  const target = part(field(spec, 'scaleTargetRef'))
  return `${text(target.kind)}/${text(target.name)}`
}

/** The present value is nobody's to measure here; what is wanted is known. */
function targets({ spec }: KubeObject): string {
  const wanted = parts(field(spec, 'metrics')).map((metric) => {
    const { name, target } = part(metric.resource)
    const { averageUtilization, averageValue } = part(target)
    if (metric.type !== 'Resource') return '<unknown>'
    const aim = averageUtilization === undefined ? text(averageValue) : `${text(averageUtilization)}%`
    return `${text(name)}: <unknown>/${aim}`
  })
  return joined(wanted)
}

function endpointsText(object: KubeObject): string {
  const all = parts(object.subsets).flatMap((subset) =>
    parts(subset.addresses).flatMap((address) => {
      const ports = parts(subset.ports)
      return ports.length === 0 ? [text(address.ip)] : ports.map((p) => `${text(address.ip)}:${text(p.port)}`)
    }),
  )
  return all.length > 3 ? `${all.slice(0, 3).join(',')} + ${all.length - 3} more...` : joined(all)
}

const workload: Printers = {
  Desired: number('spec.replicas'),
  Current: number('status.replicas'),
  Ready: number('status.readyReplicas'),
}
const policy: Printers = {
  Validations: ({ spec }) => size(field(spec, 'validations')),
  Mutations: ({ spec }) => size(field(spec, 'mutations')),
  ParamKind: ({ spec }) => {
    const kind = part(field(spec, 'paramKind'))
    return kind.kind === undefined ? '<unset>' : `${text(kind.apiVersion)}/${text(kind.kind)}`
  },
}
const policyBinding: Printers = {
  PolicyName: at('spec.policyName'),
  ParamRef: ({ spec }) => text(part(field(spec, 'paramRef')).name, '<unset>'),
}
const event: Printers = {
  'Last Seen': seen('lastTimestamp', 'deprecatedLastTimestamp', 'eventTime'),
  'First Seen': seen('firstTimestamp', 'deprecatedFirstTimestamp', 'eventTime'),
  Type: at('type'),
  Reason: at('reason'),
  Object: eventObject,
  Subobject: (object) => text(part(object.involvedObject ?? object.regarding).fieldPath),
  Source: eventSource,
  Message: (object) => text(object.message ?? object.note).trim(),
  Count: (object) => count(object.count ?? object.deprecatedCount) || 1,
}
const binding: Printers = {
  Role: ({ roleRef }) => `${text(part(roleRef).kind)}/${text(part(roleRef).name)}`,
  Users: subjects('User'),
  Groups: subjects('Group'),
  ServiceAccounts: subjects('ServiceAccount'),
}
const webhooks: Printers = { Webhooks: sizeOf('webhooks') }

const printers: { readonly [kind: string]: Printers } = {
  '/pods': {
    Ready: podReady,
    Status: podStatus,
    Restarts: restarts,
    IP: at('status.podIP', '<none>'),
    Node: at('spec.nodeName', '<none>'),
    'Nominated Node': at('status.nominatedNodeName', '<none>'),
    'Readiness Gates': readinessGates,
  },
  '/podtemplates': { 'Pod Labels': ({ template }) => selectorText(part(part(template).metadata).labels) },
  '/configmaps': { Data: (object) => size(object.data) + size(object.binaryData) },
  '/secrets': { Type: at('type'), Data: sizeOf('data') },
  '/namespaces': { Status: at('status.phase') },
  '/endpoints': { Endpoints: endpointsText },
  '/events': event,
  'events.k8s.io/events': event,
  '/nodes': {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: at('status.nodeInfo.kubeletVersion'),
    'Internal-IP': nodeAddress('InternalIP'),
    'External-IP': nodeAddress('ExternalIP'),
    'OS-Image': at('status.nodeInfo.osImage', '<unknown>'),
    'Kernel-Version': at('status.nodeInfo.kernelVersion', '<unknown>'),
    'Container-Runtime': at('status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  },
  '/services': {
    Type: at('spec.type'),
    'Cluster-IP': at('spec.clusterIP', '<none>'),
    'External-IP': externalAddress,
    'Port(s)': servicePorts,
  },
  '/persistentvolumeclaims': {
    Status: (object) => (object.metadata.deletionTimestamp ? 'Terminating' : text(field(object.status, 'phase'))),
    Volume: at('spec.volumeName'),
    Capacity: at('status.capacity.storage'),
    'Access Modes': ({ status }) => accessModes(field(status, 'accessModes')),
    StorageClass: at('spec.storageClassName'),
    VolumeAttributesClass: at('spec.volumeAttributesClassName', '<unset>'),
    VolumeMode: at('spec.volumeMode', '<unset>'),
  },
  '/persistentvolumes': {
    Capacity: at('spec.capacity.storage'),
    'Access Modes': ({ spec }) => accessModes(field(spec, 'accessModes')),
    'Reclaim Policy': at('spec.persistentVolumeReclaimPolicy'),
    Status: (object) => (object.metadata.deletionTimestamp ? 'Terminating' : text(field(object.status, 'phase'))),
    Claim: ({ spec }) => {
      const claim = part(field(spec, 'claimRef'))
      return claim.name === undefined ? '' : `${text(claim.namespace)}/${text(claim.name)}`
    },
    StorageClass: at('spec.storageClassName'),
    VolumeAttributesClass: at('spec.volumeAttributesClassName', '<unset>'),
    Reason: at('status.reason'),
    VolumeMode: at('spec.volumeMode', '<unset>'),
  },
  '/replicationcontrollers': workload,
  'apps/replicasets': workload,
  'apps/deployments': {
    Ready: ({ spec, status }) => `${count(field(status, 'readyReplicas'))}/${count(field(spec, 'replicas'))}`,
    'Up-to-date': number('status.updatedReplicas'),
    Available: number('status.availableReplicas'),
  },
  'apps/statefulsets': {
    Ready: ({ spec, status }) => `${count(field(status, 'readyReplicas'))}/${count(field(spec, 'replicas'))}`,
  },
  'apps/daemonsets': {
    Desired: number('status.desiredNumberScheduled'),
    Current: number('status.currentNumberScheduled'),
    Ready: number('status.numberReady'),
    'Up-to-date': number('status.updatedNumberScheduled'),
    Available: number('status.numberAvailable'),
    'Node Selector': (object) => selectorText(templateSpec(object).nodeSelector),
  },
  'apps/controllerrevisions': {
    Controller: ({ metadata }) => {
      const owner = metadata.ownerReferences?.find((o) => o.controller === true)
      return owner ? `${owner.kind.toLowerCase()}.${owner.apiVersion.split('/')[0]}/${owner.name}` : '<none>'
    },
    Revision: number('revision'),
  },
  'batch/jobs': { Status: jobStatus, Completions: jobCompletions, Duration: jobDuration },
  'batch/cronjobs': {
    Schedule: at('spec.schedule'),
    Timezone: at('spec.timeZone', '<none>'),
    Suspend: ({ spec }) => (field(spec, 'suspend') === true ? 'True' : 'False'),
    Active: ({ status }) => size(field(status, 'active')),
    'Last Schedule': ({ status }, now) => {
      const last = field(status, 'lastScheduleTime')
      return last === undefined ? '<none>' : ageOf(last, now)
    },
    Selector: () => '<none>',
  },
  'autoscaling/horizontalpodautoscalers': {
    Reference: reference,
    Targets: targets,
    MinPods: ({ spec }) => text(field(spec, 'minReplicas'), '<unset>'),
    MaxPods: number('spec.maxReplicas'),
    Replicas: number('status.currentReplicas'),
  },
  'networking.k8s.io/ingresses': {
    Class: at('spec.ingressClassName', '<none>'),
    Hosts: ingressHosts,
    Address: ingressAddress,
    Ports: ingressPorts,
  },
  'networking.k8s.io/ingressclasses': {
    Controller: at('spec.controller'),
    Parameters: ({ spec }) => {
      const { apiGroup, kind, name } = part(field(spec, 'parameters'))
      return name === undefined ? '<none>' : `${text(kind)}${apiGroup ? `.${text(apiGroup)}` : ''}/${text(name)}`
    },
  },
  'networking.k8s.io/networkpolicies': { 'Pod-Selector': ({ spec }) => selectorText(field(spec, 'podSelector')) },
  'policy/poddisruptionbudgets': {
    'Min Available': ({ spec }) => text(field(spec, 'minAvailable'), 'N/A'),
    'Max Unavailable': ({ spec }) => text(field(spec, 'maxUnavailable'), 'N/A'),
    'Allowed Disruptions': number('status.disruptionsAllowed'),
  },
  'rbac.authorization.k8s.io/rolebindings': binding,
  'rbac.authorization.k8s.io/clusterrolebindings': binding,
  'storage.k8s.io/storageclasses': {
    Name: ({ metadata }) => {
      const isDefault = metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true'
      return `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`
    },
    Provisioner: at('provisioner'),
    ReclaimPolicy: at('reclaimPolicy', 'Delete'),
    VolumeBindingMode: at('volumeBindingMode', '<unset>'),
    AllowVolumeExpansion: flag('allowVolumeExpansion'),
  },
  'storage.k8s.io/csidrivers': {
    AttachRequired: ({ spec }) => field(spec, 'attachRequired') !== false,
    PodInfoOnMount: flag('spec.podInfoOnMount'),
    StorageCapacity: flag('spec.storageCapacity'),
    TokenRequests: ({ spec }) =>
      joined(
        parts(field(spec, 'tokenRequests')).map((request) => text(request.audience)),
        '<unset>',
      ),
    RequiresRepublish: flag('spec.requiresRepublish'),
    Modes: ({ spec }) => {
      const list = field(spec, 'volumeLifecycleModes')
      return Array.isArray(list) ? joined(list.map(String), '<none>') : '<none>'
    },
  },
  'storage.k8s.io/csinodes': { Drivers: ({ spec }) => size(field(spec, 'drivers')) },
  'coordination.k8s.io/leases': { Holder: at('spec.holderIdentity') },
  'scheduling.k8s.io/priorityclasses': {
    Value: number('value'),
    'Global-Default': flag('globalDefault'),
    PreemptionPolicy: at('preemptionPolicy'),
  },
  'node.k8s.io/runtimeclasses': { Handler: at('handler') },
  'discovery.k8s.io/endpointslices': {
    AddressType: at('addressType'),
    Ports: (object) =>
      joined(
        parts(object.ports).map((p) => text(p.port)),
        '<unset>',
      ),
    Endpoints: (object) =>
      joined(
        parts(object.endpoints).flatMap((e) => (Array.isArray(e.addresses) ? e.addresses.map(String) : [])),
        '<unset>',
      ),
  },
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingadmissionpolicies': policy,
  'admissionregistration.k8s.io/mutatingadmissionpolicies': policy,
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': policyBinding,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': policyBinding,
  'certificates.k8s.io/certificatesigningrequests': {
    SignerName: at('spec.signerName'),
    Requestor: at('spec.username'),
    RequestedDuration: at('spec.expirationSeconds', '<none>'),
    Condition: ({ status }) =>
      joined(
        parts(field(status, 'conditions')).map((c) => text(c.type)),
        'Pending',
      ),
  },
}

export function printersOf(id: string): Printers {
  return Object.hasOwn(printers, id) ? (printers[id] as Printers) : {}
}
