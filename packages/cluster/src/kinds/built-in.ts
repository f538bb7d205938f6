/**
 * The kinds that every cluster has: discovery as the real one tells it, with the rules that discovery does not tell.
 * Guarantees: discovery, scope, verbs, subresources and the rules of generation and update are those of Kubernetes 1.36.
 * Does not guarantee: deep validation of their contents.
 */
import type { JsonObject } from '../json.ts'
import { discovered } from './data/discovery.ts'
import { byPreference } from './discovery-order.ts'
import type { DiscoveredKind } from './generated-data.ts'
import type { Kind, KindVersion, ScalePaths, SelectableField } from './kind.ts'

/** What a kind does beyond discovery. */
interface Behaviour {
  readonly status?: JsonObject
  readonly counted?: boolean
  readonly conditional?: boolean
  readonly createOnUpdate?: boolean
  readonly answersDeleted?: boolean
  readonly orphansByDefault?: boolean
  /** Field labels beside metadata.name and metadata.namespace: 'label', or 'label=path', or 'label=path?absent'. */
  readonly fields?: readonly string[]
}

const replicas: ScalePaths = { spec: ['spec', 'replicas'], status: ['status', 'replicas'], selector: undefined }

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

/** Of the stored form, which is that of the core group. */
const renewedFields = eventFields.map((f) => f.replace(/^involvedObject\.(.*)$/, 'regarding.$1=involvedObject.$1'))

const counted: Behaviour = { counted: true }
const creates: Behaviour = { createOnUpdate: true }
const answers: Behaviour = { answersDeleted: true }
const extension: Behaviour = { counted: true, conditional: true }
const volume: Behaviour = { status: { phase: 'Pending' }, answersDeleted: true }

/** By group/plural. A kind that is not here follows the general rules. */
const behaviours: ReadonlyMap<string, Behaviour> = new Map(
  Object.entries<Behaviour>({
    '/endpoints': creates,
    '/events': { createOnUpdate: true, fields: eventFields },
    '/limitranges': creates,
    '/namespaces': {
      status: { phase: 'Active' },
      answersDeleted: true,
      fields: ['status.phase', 'name=metadata.name'],
    },
    '/nodes': { fields: ['spec.unschedulable=spec.unschedulable?false'] },
    '/persistentvolumeclaims': volume,
    '/persistentvolumes': volume,
    '/pods': { status: { phase: 'Pending' }, counted: true, answersDeleted: true, fields: podFields },
    '/podtemplates': { counted: true, answersDeleted: true },
    '/replicationcontrollers': {
      counted: true,
      status: { replicas: 0 },
      orphansByDefault: true,
      fields: ['status.replicas=status.replicas?0'],
    },
    '/resourcequotas': answers,
    '/secrets': { fields: ['type'] },
    '/serviceaccounts': answers,
    '/services': {
      status: { loadBalancer: {} },
      createOnUpdate: true,
      answersDeleted: true,
      fields: ['spec.clusterIP', 'spec.type'],
    },
    'apps/daemonsets': {
      counted: true,
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
    'apps/deployments': counted,
    'apps/replicasets': { counted: true, status: { replicas: 0 } },
    'apps/statefulsets': { counted: true, status: { replicas: 0, availableReplicas: 0 } },
    'autoscaling/horizontalpodautoscalers': { status: { desiredReplicas: 0, currentMetrics: null } },
    'events.k8s.io/events': { createOnUpdate: true, fields: renewedFields },
    'batch/cronjobs': counted,
    'batch/jobs': { counted: true, orphansByDefault: true, fields: ['status.successful=status.succeeded?0'] },
    'certificates.k8s.io/certificatesigningrequests': { fields: ['spec.signerName'] },
    'networking.k8s.io/ingressclasses': counted,
    'networking.k8s.io/ingresses': { status: { loadBalancer: {} }, counted: true },
    'networking.k8s.io/networkpolicies': counted,
    'policy/poddisruptionbudgets': {
      counted: true,
      conditional: true,
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    },
    'rbac.authorization.k8s.io/clusterrolebindings': creates,
    'rbac.authorization.k8s.io/clusterroles': creates,
    'rbac.authorization.k8s.io/rolebindings': creates,
    'rbac.authorization.k8s.io/roles': creates,
    'storage.k8s.io/csidrivers': { answersDeleted: true, conditional: true },
    'storage.k8s.io/csinodes': { answersDeleted: true, conditional: true },
    'storage.k8s.io/csistoragecapacities': { answersDeleted: true, conditional: true },
    'storage.k8s.io/storageclasses': answers,
    'storage.k8s.io/volumeattachments': answers,
    'storage.k8s.io/volumeattributesclasses': answers,
    'admissionregistration.k8s.io/mutatingadmissionpolicies': extension,
    'admissionregistration.k8s.io/mutatingadmissionpolicybindings': extension,
    'admissionregistration.k8s.io/mutatingwebhookconfigurations': extension,
    'admissionregistration.k8s.io/validatingadmissionpolicies': extension,
    'admissionregistration.k8s.io/validatingadmissionpolicybindings': extension,
    'admissionregistration.k8s.io/validatingwebhookconfigurations': extension,
    'apiextensions.k8s.io/customresourcedefinitions': extension,
    'flowcontrol.apiserver.k8s.io/flowschemas': counted,
    'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': counted,
    'resource.k8s.io/deviceclasses': { counted: true, answersDeleted: true },
    'resource.k8s.io/resourceclaims': answers,
    'resource.k8s.io/resourceclaimtemplates': answers,
    'resource.k8s.io/resourceslices': { counted: true, answersDeleted: true },
    'scheduling.k8s.io/priorityclasses': counted,
    'coordination.k8s.io/leases': { conditional: true, createOnUpdate: true },
    'node.k8s.io/runtimeclasses': { conditional: true, createOnUpdate: true },
    'discovery.k8s.io/endpointslices': counted,
  }),
)

const rowId = ({ group, plural }: DiscoveredKind) => `${group}/${plural}`

function kindOf(rows: readonly [DiscoveredKind, ...DiscoveredKind[]]): Kind {
  const sorted = [...rows].sort((a, b) => byPreference(a.version, b.version))
  const [first] = rows
  const behaviour = behaviours.get(rowId(first)) ?? {}
  const versions = sorted.map((row) => versionOf(row, behaviour))
  const hasStatus = first.sub?.some((sub) => sub.name === 'status') ?? false
  return {
    group: first.group,
    kind: first.kind,
    listKind: `${first.kind}List`,
    plural: first.plural,
    singular: first.singular,
    shortNames: first.short ?? [],
    categories: first.categories ?? [],
    namespaced: first.namespaced,
    builtIn: true,
    verbs: first.verbs,
    versions,
    storage: versions[0] as KindVersion,
    counted: behaviour.counted ?? false,
    unconditionalUpdate: !(behaviour.conditional ?? false),
    createOnUpdate: behaviour.createOnUpdate ?? false,
    answersDeleted: behaviour.answersDeleted ?? false,
    orphansByDefault: behaviour.orphansByDefault ?? false,
    initialStatus: behaviour.status ?? (hasStatus ? {} : undefined),
    conversion: undefined,
    terminating: false,
  }
}

function versionOf(row: DiscoveredKind, behaviour: Behaviour): KindVersion {
  const subresources = row.sub ?? []
  return {
    name: row.version,
    subresources,
    scale: subresources.some((sub) => sub.name === 'scale') ? replicas : undefined,
    selectable: (behaviour.fields ?? []).map(fieldOf),
    schema: undefined,
    columns: undefined,
    hash: row.hash,
  }
}

function fieldOf(text: string): SelectableField {
  const [label = '', rest = label] = text.split('=')
  const [path = '', absent = ''] = rest.split('?')
  return { label, path: path.split('.'), absent }
}

function grouped(): Iterable<[DiscoveredKind, ...DiscoveredKind[]]> {
  const found = new Map<string, [DiscoveredKind, ...DiscoveredKind[]]>()
  for (const row of discovered) {
    const known = found.get(rowId(row))
    if (known) known.push(row)
    else found.set(rowId(row), [row])
  }
  return found.values()
}

export const builtInKinds: readonly Kind[] = [...grouped()].map(kindOf)
