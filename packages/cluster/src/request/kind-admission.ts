/** What the original's own admission plugins and allocators add to built-in objects, and nobody owns. Pure. */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'

/** Lost nodes, for five minutes, unless the pod says otherwise; on every write. */
export function tolerantPod(object: KubeObject): KubeObject {
  const spec = isObject(object.spec) ? object.spec : {}
  const tolerations = toleratedBy(spec)
  return tolerations.length === 0 ? object : { ...object, spec: { ...spec, tolerations } }
}

function toleratedBy(spec: JsonObject): readonly JsonObject[] {
  const known = Array.isArray(spec.tolerations) ? (spec.tolerations as readonly JsonObject[]) : []
  const missing = ['not-ready', 'unreachable']
    .map((word) => `node.kubernetes.io/${word}`)
    .filter((key) => !known.some((toleration) => toleration.key === key || toleration.key === undefined))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }))
  return [...known, ...missing]
}

/** A pod tolerates lost nodes, and has a priority and a class of service. */
export function admittedPod(object: KubeObject): KubeObject {
  const tolerant = tolerantPod(object)
  const spec = isObject(tolerant.spec) ? tolerant.spec : {}
  const status = isObject(object.status) ? object.status : {}
  return {
    ...object,
    spec: { priority: 0, preemptionPolicy: 'PreemptLowerPriority', ...spec },
    status: { ...status, qosClass: qosClass(spec) },
  }
}

/** A node gets no pods before it says that it is ready. */
export function admittedNode(object: KubeObject): KubeObject {
  const spec = isObject(object.spec) ? object.spec : {}
  const known = Array.isArray(spec.taints) ? (spec.taints as readonly JsonObject[]) : []
  const key = 'node.kubernetes.io/not-ready'
  if (known.some((taint) => taint.key === key && taint.effect === 'NoSchedule')) return object
  return { ...object, spec: { ...spec, taints: [...known, { key, effect: 'NoSchedule' }] } }
}

function qosClass(spec: JsonObject): string {
  const containers = Array.isArray(spec.containers) ? (spec.containers as readonly JsonObject[]) : []
  const resources = containers.map((c) => (isObject(c.resources) ? c.resources : {}))
  const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
  if (resources.every((r) => Object.keys({ ...part(r.limits), ...part(r.requests) }).length === 0)) return 'BestEffort'
  const guaranteed = resources.every((r) => {
    const [limits, requests] = [part(r.limits), part(r.requests)]
    return ['cpu', 'memory'].every((name) => limits[name] !== undefined && limits[name] === requests[name])
  })
  return guaranteed ? 'Guaranteed' : 'Burstable'
}

/** A job without a selector of its own counts its pods by its uid. */
export function selectingJob(object: KubeObject): KubeObject {
  const spec = isObject(object.spec) ? object.spec : {}
  if (spec.manualSelector === true) return object
  const { uid = '', name = '' } = object.metadata
  const labels = {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
  const template = isObject(spec.template) ? spec.template : {}
  const metadata = isObject(template.metadata) ? template.metadata : {}
  const own = { ...(isObject(metadata.labels) ? metadata.labels : {}), ...labels }
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } }
  const next = { ...spec, selector, template: { ...template, metadata: { ...metadata, labels: own } } }
  const shown = object.metadata.labels ?? (own as { readonly [key: string]: string })
  return { ...object, metadata: { ...object.metadata, labels: shown }, spec: next }
}
