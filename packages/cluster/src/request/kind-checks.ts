/** The checks of single built-in kinds whose failure surprises operators most. Pure; no deep validation beyond these. */
import { forbiddenField, invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import { nameRule } from './metadata.ts'
import { podSpecCauses } from './pod-spec-checks.ts'

/** Deployments and their like: a selector that matches the template, and does not change. */
export function workloadCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const { spec } = object
  const causes: Cause[] = []
  const replicas = field(spec, 'replicas')
  if (typeof replicas === 'number' && replicas < 0) {
    causes.push(invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0'))
  }
  causes.push(...selectorCauses(object))
  causes.push(...rolloutCauses(object), ...templateCauses(spec))
  const containers = field(field(field(spec, 'template'), 'spec'), 'containers')
  if (!Array.isArray(containers) || containers.length === 0) causes.push(required('spec.template.spec.containers'))
  const before = field(old?.spec, 'selector')
  if (before !== undefined && !equalJson(before, field(spec, 'selector'))) {
    causes.push(invalidValue('spec.selector', field(spec, 'selector'), 'field is immutable'))
  }
  return causes
}

/** Pods of a workload are started again, always. */
function templateCauses(spec: Json | undefined): readonly Cause[] {
  const at = 'spec.template.spec'
  const pod = field(field(spec, 'template'), 'spec')
  const policy = field(pod, 'restartPolicy')
  const wrong = policy === 'Never' || policy === 'OnFailure'
  return [...podSpecCauses(pod, at), ...(wrong ? [notSupported(`${at}.restartPolicy`, policy, ['Always'])] : [])]
}

/** How a Deployment goes from one template to the next. */
function rolloutCauses({ kind, spec }: KubeObject): readonly Cause[] {
  if (kind !== 'Deployment') return []
  const number = (name: string) => Number(field(spec, name) ?? 0)
  const deadline = field(spec, 'progressDeadlineSeconds')
  const early = typeof deadline === 'number' && deadline <= number('minReadySeconds')
  const why = 'must be greater than or equal to 0'
  return [
    ...strategyCauses(field(spec, 'strategy')),
    ...(number('minReadySeconds') < 0 ? [invalidValue('spec.minReadySeconds', number('minReadySeconds'), why)] : []),
    ...(early ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')] : []),
  ]
}

function strategyCauses(strategy: Json | undefined): readonly Cause[] {
  const type = field(strategy, 'type')
  const rolling = field(strategy, 'rollingUpdate')
  if (type === 'Recreate') {
    const why = "may not be specified when strategy `type` is 'Recreate'"
    return rolling === undefined || rolling === null ? [] : [forbiddenField('spec.strategy.rollingUpdate', why)]
  }
  if (type !== undefined && type !== 'RollingUpdate') {
    return [notSupported('spec.strategy', { Type: type, RollingUpdate: null }, ['Recreate', 'RollingUpdate'])]
  }
  const stands = field(rolling, 'maxSurge') === 0 && field(rolling, 'maxUnavailable') === 0
  const at = 'spec.strategy.rollingUpdate.maxUnavailable'
  return stands ? [invalidValue(at, 0, 'may not be 0 when `maxSurge` is 0')] : []
}

function selectorCauses({ kind, spec }: KubeObject): Cause[] {
  const selector = field(spec, 'selector')
  const labels = field(field(field(spec, 'template'), 'metadata'), 'labels')
  const unlike = invalidValue(
    'spec.template.metadata.labels',
    labels ?? {},
    '`selector` does not match template `labels`',
  )
  if (selector === undefined || selector === null) return [required('spec.selector'), unlike]
  const wanted = field(selector, 'matchLabels')
  if (!isObject(wanted) && field(selector, 'matchExpressions') === undefined) {
    return [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind.toLowerCase()}`)]
  }
  const matches = Object.entries(isObject(wanted) ? wanted : {}).every(([key, value]) => field(labels, key) === value)
  return matches ? [] : [unlike]
}

const counts: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ReplicaSet: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
}

/** No part of a status may count more than the whole. Judged when the status changes. */
export function countCauses({ kind, status }: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  if (!isObject(status) || old === undefined || equalJson(status, old.status)) return []
  const number = (name: string) => (typeof status[name] === 'number' ? (status[name] as number) : 0)
  const parts = counts[kind] ?? []
  const causes = ['replicas', ...parts, 'observedGeneration']
    .filter((name) => number(name) < 0)
    .map((name) => invalidValue(`status.${name}`, number(name), 'must be greater than or equal to 0'))
  for (const name of parts) {
    if (number(name) > number('replicas')) {
      causes.push(invalidValue(`status.${name}`, number(name), 'cannot be greater than status.replicas'))
    }
  }
  if (number('availableReplicas') > number('readyReplicas')) {
    const why = 'cannot be greater than readyReplicas'
    causes.push(invalidValue('status.availableReplicas', number('availableReplicas'), why))
  }
  return causes
}

export function leaseCauses({ spec }: KubeObject): readonly Cause[] {
  const causes: Cause[] = []
  const number = (value: Json | undefined) => (typeof value === 'number' ? value : undefined)
  const seconds = number(field(spec, 'leaseDurationSeconds'))
  const transitions = number(field(spec, 'leaseTransitions'))
  if (seconds !== undefined && seconds <= 0) {
    causes.push(invalidValue('spec.leaseDurationSeconds', seconds, 'must be greater than 0'))
  }
  if (transitions !== undefined && transitions < 0) {
    causes.push(invalidValue('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'))
  }
  return causes
}

/** Once an event has a time of the new kind, the rules of the new kind hold for it. */
export function eventCauses(object: KubeObject): readonly Cause[] {
  const about = field(object.involvedObject, 'namespace') ?? ''
  const home = object.metadata.namespace ?? ''
  const elsewhere = about === '' ? home !== 'default' && home !== '' : about !== home
  const causes = elsewhere
    ? [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')]
    : ([] as Cause[])
  if (object.eventTime === undefined || object.eventTime === null) return causes
  for (const name of ['reportingComponent', 'reportingInstance', 'action', 'reason']) {
    if ((object[name] ?? '') !== '') continue
    causes.push(required(name))
    // The original reads it as a qualified name too, and finds two things wrong with an empty one.
    if (name === 'reportingComponent') {
      causes.push(invalidValue(name, '', 'name part must be non-empty'))
      causes.push(invalidValue(name, '', nameRule))
    }
  }
  const { message } = object
  if (typeof message === 'string' && message.length > 1024) {
    causes.push(invalidValue('message', '', 'can have at most 1024 characters'))
  }
  return causes
}

const kept = ['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'eventTime']
const told = ['action', 'related', 'reportingComponent', 'reportingInstance', 'type']

/** What events.k8s.io asks of an event, in the names of the core group: a time, a type, and that it stays what it is. */
export function renewedEventCauses(event: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  if (old) {
    return [...kept, ...told]
      .filter((name) => !equalJson(event[name] ?? null, old[name] ?? null))
      .map((name) => invalidValue(name, event[name], 'field is immutable'))
  }
  const causes = [...eventCauses(event)]
  if (event.eventTime === undefined || event.eventTime === null) causes.push(required('eventTime'))
  if (event.type !== 'Normal' && event.type !== 'Warning') {
    causes.push(invalidValue('type', '', `has invalid value: ${String(event.type ?? '')}`))
  }
  return causes
}
