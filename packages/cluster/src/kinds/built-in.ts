/**
 * The kinds that every cluster has, as rows of a table.
 * Guarantees: discovery, scope, verbs, subresources and the rules of generation and update are those of Kubernetes 1.36.
 * Does not guarantee: their contents; built-in objects are stored as they come, without defaults and deep validation.
 */
import type { JsonObject } from '../json.ts'
import {
  allVerbs,
  type Kind,
  type KindVersion,
  type ScalePaths,
  type SelectableField,
  type Subresource,
} from './kind.ts'

interface Row {
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly singular?: string
  readonly versions?: readonly string[]
  readonly verbs?: Kind['verbs']
  /** A string for each: 'status', 'scale', 'finalize'. */
  readonly sub?: readonly ('status' | 'scale' | 'finalize')[]
  readonly status?: JsonObject
  readonly counted?: boolean
  readonly conditional?: boolean
  readonly createOnUpdate?: boolean
  readonly answersDeleted?: boolean
  readonly orphansByDefault?: boolean
  /** Field labels beside metadata.name and metadata.namespace: 'label', or 'label=path', or 'label=path?absent'. */
  readonly fields?: readonly string[]
}

const status = ['status'] as const
const scaled = ['scale', 'status'] as const
const replicas: ScalePaths = { spec: ['spec', 'replicas'], status: ['status', 'replicas'], selector: undefined }
const subVerbs = {
  status: ['get', 'patch', 'update'],
  scale: ['get', 'patch', 'update'],
  finalize: ['update'],
} as const

const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork=spec.hostNetwork?false',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
]
const eventFields = [
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (f) => `involvedObject.${f}`,
  ),
  'reason',
  'reportingComponent',
  'source=source.component',
  'type',
]

const kind = (group: string, kind: string, plural: string, namespaced: boolean, row: Row = {}): Kind => {
  const versions = (row.versions ?? ['v1']).map((name) => versionOf(name, row))
  return {
    group,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: row.singular ?? kind.toLowerCase(),
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    namespaced,
    builtIn: true,
    verbs: row.verbs ?? allVerbs,
    versions,
    storage: versions[0] as KindVersion,
    counted: row.counted ?? false,
    unconditionalUpdate: !(row.conditional ?? false),
    createOnUpdate: row.createOnUpdate ?? false,
    answersDeleted: row.answersDeleted ?? false,
    orphansByDefault: row.orphansByDefault ?? false,
    initialStatus: row.status ?? (row.sub?.includes('status') ? {} : undefined),
    terminating: false,
  }
}

function versionOf(name: string, row: Row): KindVersion {
  const subresources: Subresource[] = (row.sub ?? []).map((sub) => ({ name: sub, verbs: subVerbs[sub] }))
  const scale = row.sub?.includes('scale') ? replicas : undefined
  return { name, subresources, scale, selectable: (row.fields ?? []).map(fieldOf), schema: undefined }
}

function fieldOf(text: string): SelectableField {
  const [label = '', rest = label] = text.split('=')
  const [path = '', absent = ''] = rest.split('?')
  return { label, path: path.split('.'), absent }
}

const core = (name: string, plural: string, row?: Row) => kind('', name, plural, true, row)
const node = (name: string, plural: string, row?: Row) => kind('', name, plural, false, row)
const rbac = (name: string, plural: string, namespaced: boolean) =>
  kind('rbac.authorization.k8s.io', name, plural, namespaced, { createOnUpdate: true })
const extension = { categories: ['api-extensions'], counted: true, conditional: true }
const workload: Row = { categories: ['all'], counted: true }

export const builtInKinds: readonly Kind[] = [
  core('ConfigMap', 'configmaps', { short: ['cm'] }),
  core('Endpoints', 'endpoints', { short: ['ep'], createOnUpdate: true }),
  core('Event', 'events', { short: ['ev'], createOnUpdate: true, fields: eventFields }),
  core('LimitRange', 'limitranges', { short: ['limits'], createOnUpdate: true }),
  node('Namespace', 'namespaces', {
    short: ['ns'],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    sub: ['finalize', 'status'],
    status: { phase: 'Active' },
    answersDeleted: true,
    fields: ['status.phase', 'name=metadata.name'],
  }),
  node('Node', 'nodes', { short: ['no'], sub: status, fields: ['spec.unschedulable=spec.unschedulable?false'] }),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', {
    short: ['pvc'],
    sub: status,
    status: { phase: 'Pending' },
    answersDeleted: true,
  }),
  node('PersistentVolume', 'persistentvolumes', {
    short: ['pv'],
    sub: status,
    status: { phase: 'Pending' },
    answersDeleted: true,
  }),
  core('Pod', 'pods', {
    short: ['po'],
    categories: ['all'],
    sub: status,
    status: { phase: 'Pending' },
    counted: true,
    answersDeleted: true,
    fields: podFields,
  }),
  core('PodTemplate', 'podtemplates', { counted: true, answersDeleted: true }),
  core('ReplicationController', 'replicationcontrollers', {
    ...workload,
    short: ['rc'],
    sub: scaled,
    status: { replicas: 0 },
    orphansByDefault: true,
    fields: ['status.replicas=status.replicas?0'],
  }),
  core('ResourceQuota', 'resourcequotas', { short: ['quota'], sub: status, answersDeleted: true }),
  core('Secret', 'secrets', { fields: ['type'] }),
  core('ServiceAccount', 'serviceaccounts', { short: ['sa'], answersDeleted: true }),
  core('Service', 'services', {
    short: ['svc'],
    categories: ['all'],
    sub: status,
    status: { loadBalancer: {} },
    createOnUpdate: true,
    answersDeleted: true,
    fields: ['spec.clusterIP', 'spec.type'],
  }),
  kind('apps', 'ControllerRevision', 'controllerrevisions', true),
  kind('apps', 'DaemonSet', 'daemonsets', true, { ...workload, short: ['ds'], sub: status }),
  kind('apps', 'Deployment', 'deployments', true, { ...workload, short: ['deploy'], sub: scaled }),
  kind('apps', 'ReplicaSet', 'replicasets', true, { ...workload, short: ['rs'], sub: scaled }),
  kind('apps', 'StatefulSet', 'statefulsets', true, { ...workload, short: ['sts'], sub: scaled }),
  kind('events.k8s.io', 'Event', 'events', true, { short: ['ev'], createOnUpdate: true }),
  kind('autoscaling', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', true, {
    short: ['hpa'],
    categories: ['all'],
    versions: ['v2', 'v1'],
    sub: status,
  }),
  kind('batch', 'CronJob', 'cronjobs', true, { ...workload, short: ['cj'], sub: status }),
  kind('batch', 'Job', 'jobs', true, {
    ...workload,
    sub: status,
    orphansByDefault: true,
    fields: ['status.successful=status.succeeded?0'],
  }),
  kind('certificates.k8s.io', 'CertificateSigningRequest', 'certificatesigningrequests', false, {
    short: ['csr'],
    sub: status,
    fields: ['spec.signerName'],
  }),
  kind('networking.k8s.io', 'IngressClass', 'ingressclasses', false, { counted: true }),
  kind('networking.k8s.io', 'Ingress', 'ingresses', true, {
    short: ['ing'],
    sub: status,
    status: { loadBalancer: {} },
    counted: true,
  }),
  kind('networking.k8s.io', 'NetworkPolicy', 'networkpolicies', true, { short: ['netpol'], counted: true }),
  kind('policy', 'PodDisruptionBudget', 'poddisruptionbudgets', true, {
    short: ['pdb'],
    sub: status,
    counted: true,
    conditional: true,
  }),
  rbac('ClusterRoleBinding', 'clusterrolebindings', false),
  rbac('ClusterRole', 'clusterroles', false),
  rbac('RoleBinding', 'rolebindings', true),
  rbac('Role', 'roles', true),
  kind('storage.k8s.io', 'CSIDriver', 'csidrivers', false, { answersDeleted: true, conditional: true }),
  kind('storage.k8s.io', 'CSINode', 'csinodes', false, { answersDeleted: true, conditional: true }),
  kind('storage.k8s.io', 'CSIStorageCapacity', 'csistoragecapacities', true, {
    answersDeleted: true,
    conditional: true,
  }),
  kind('storage.k8s.io', 'StorageClass', 'storageclasses', false, { short: ['sc'], answersDeleted: true }),
  kind('storage.k8s.io', 'VolumeAttachment', 'volumeattachments', false, { sub: status, answersDeleted: true }),
  kind(
    'admissionregistration.k8s.io',
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    false,
    extension,
  ),
  kind('admissionregistration.k8s.io', 'ValidatingAdmissionPolicy', 'validatingadmissionpolicies', false, {
    ...extension,
    sub: status,
  }),
  kind(
    'admissionregistration.k8s.io',
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    false,
    extension,
  ),
  kind(
    'admissionregistration.k8s.io',
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    false,
    extension,
  ),
  kind('apiextensions.k8s.io', 'CustomResourceDefinition', 'customresourcedefinitions', false, {
    ...extension,
    short: ['crd', 'crds'],
    sub: status,
  }),
  kind('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', false, { short: ['pc'], counted: true }),
  kind('coordination.k8s.io', 'Lease', 'leases', true, { conditional: true, createOnUpdate: true }),
  kind('node.k8s.io', 'RuntimeClass', 'runtimeclasses', false, { conditional: true, createOnUpdate: true }),
  kind('discovery.k8s.io', 'EndpointSlice', 'endpointslices', true, { counted: true }),
]
