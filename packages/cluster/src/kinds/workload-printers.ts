/** The cells of what runs: pods, what makes pods, where they run, and how they are reached. Pure. */
import type { Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import {
  at,
  count,
  joined,
  number,
  type Printer,
  type Printers,
  part,
  parts,
  size,
  templateSpec,
  text,
} from './cells.ts'
import { ageOf, humanDuration, selectorText } from './human.ts'

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

const workload: Printers = {
  Desired: number('spec.replicas'),
  Current: number('status.replicas'),
  Ready: number('status.readyReplicas'),
}

export const workloadPrinters: { readonly [kind: string]: Printers } = {
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
}
