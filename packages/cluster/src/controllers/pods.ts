/**
 * Pods that run in name only: they are put on the one node and become ready at once; those of a Job succeed; deleted ones go. Pure.
 * A pod whose spec.schedulerName is not the default one is left to whoever it names.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import { type Controller, pathOf, type Write } from './write.ts'

export const nodeName = 'embedded'

export const pods: Controller = {
  group: '',
  plural: 'pods',
  decide: (pod, { now }) => {
    const path = pathOf('', 'pods', pod)
    if (pod.metadata.deletionTimestamp !== undefined) {
      // A kubelet's last word.
      return [{ method: 'DELETE', path, body: { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } } }]
    }
    const node = field(pod.spec, 'nodeName')
    if (node === undefined) return scheduled(pod, path)
    if (node !== nodeName || field(pod.status, 'phase') !== 'Pending') return []
    return [{ method: 'PATCH', path: `${path}/status`, body: { status: runStatus(pod, now) } }]
  },
}

function scheduled(pod: KubeObject, path: string): readonly Write[] {
  if ((field(pod.spec, 'schedulerName') ?? 'default-scheduler') !== 'default-scheduler') return []
  const body = {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name: pod.metadata.name },
    target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
  }
  return [{ method: 'POST', path: `${path}/binding`, body }]
}

function runStatus(pod: KubeObject, now: string): JsonObject {
  const finishes = pod.metadata.ownerReferences?.some(({ kind, controller }) => kind === 'Job' && controller === true)
  const ready = finishes ? 'False' : 'True'
  const states: readonly (readonly [string, string])[] = [
    ['PodReadyToStartContainers', ready],
    ['Initialized', 'True'],
    ['Ready', ready],
    ['ContainersReady', ready],
    ['PodScheduled', 'True'],
  ]
  const reason = finishes ? { reason: 'PodCompleted' } : {}
  return {
    phase: finishes ? 'Succeeded' : 'Running',
    conditions: states.map(([type, status]) => ({
      ...{ type, status, lastProbeTime: null, lastTransitionTime: now },
      ...(status === 'False' ? reason : {}),
    })),
    hostIP: '127.0.0.1',
    hostIPs: [{ ip: '127.0.0.1' }],
    podIP: '127.0.0.1',
    podIPs: [{ ip: '127.0.0.1' }],
    startTime: now,
    containerStatuses: containersOf(pod).map((container) => containerStatus(container, finishes === true, now)),
  }
}

function containersOf({ spec }: KubeObject): readonly JsonObject[] {
  const containers = field(spec, 'containers')
  return Array.isArray(containers) ? (containers as readonly Json[]).filter(isObject) : []
}

function containerStatus({ name, image }: JsonObject, finished: boolean, now: string): JsonObject {
  const ended = { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now }
  return {
    ...{ name, image, imageID: '', restartCount: 0, ready: !finished, started: !finished, lastState: {} },
    state: finished ? { terminated: ended } : { running: { startedAt: now } },
  }
}
