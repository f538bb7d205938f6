/**
 * The cells of built-in kinds' tables, by kind and column. A column that is not here has a general meaning, or is empty.
 * All functions are pure.
 */
import type { Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import {
  at,
  count,
  flag,
  joined,
  number,
  type Printer,
  type Printers,
  part,
  parts,
  size,
  sizeOf,
  templateSpec,
  text,
} from './cells.ts'
import { ageOf, selectorText } from './human.ts'
import { workloadPrinters } from './workload-printers.ts'

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
  const component = text(source.component) || text(object.reportingComponent ?? object.reportingController)
  const place = text(source.host) || text(object.reportingInstance)
  return [component, place].filter((word) => word !== '').join(', ')
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
  ...workloadPrinters,
  '/configmaps': { Data: (object) => size(object.data) + size(object.binaryData) },
  '/secrets': { Type: at('type'), Data: sizeOf('data') },
  '/namespaces': { Status: at('status.phase') },
  '/endpoints': { Endpoints: endpointsText },
  '/events': event,
  'events.k8s.io/events': event,
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
