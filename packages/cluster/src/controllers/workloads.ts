/**
 * Deployments, ReplicaSets, StatefulSets and DaemonSets: who is missing, who is too many, and what the status says. Pure.
 * Does not guarantee: the pace of a rollout. A new version is there at once, and the old one gone; there is no surge, no pause between.
 */
import type { Json, JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import {
  type Controller,
  collection,
  count,
  deletion,
  hashOf,
  isReady,
  living,
  number,
  ownerReference,
  part,
  pathOf,
  podWrite,
  statusWrite,
  type World,
  type Write,
} from './write.ts'

const hashLabel = 'pod-template-hash'
const revisionLabel = 'controller-revision-hash'
const revisionNote = 'deployment.kubernetes.io/revision'

export const replicaSets: Controller = {
  group: 'apps',
  plural: 'replicasets',
  decide: (set, world) => {
    const pods = living(world.owned('pods', set))
    const wanted = number(field(set.spec, 'replicas'), 1)
    const ready = pods.filter(isReady).length
    const missing = Math.max(0, wanted - pods.length)
    return [
      ...Array.from({ length: missing }, () =>
        podWrite({ owner: set, name: { generateName: `${set.metadata.name}-` } }),
      ),
      ...pods.slice(wanted).map((pod) => deletion('', 'pods', pod)),
      ...statusWrite(pathOf('apps', 'replicasets', set), set, {
        replicas: pods.length,
        fullyLabeledReplicas: count(pods.length),
        readyReplicas: count(ready),
        availableReplicas: count(ready),
        observedGeneration: set.metadata.generation,
      }),
    ]
  },
}

export const deployments: Controller = {
  group: 'apps',
  plural: 'deployments',
  decide: (deployment, world) => {
    const sets = living(world.owned('replicasets', deployment))
    const hash = hashOf(field(deployment.spec, 'template'))
    const current = sets.find((set) => set.metadata.labels?.[hashLabel] === hash)
    const replicas = number(field(deployment.spec, 'replicas'), 1)
    const scale = (set: KubeObject, to: number): readonly Write[] =>
      number(field(set.spec, 'replicas'), 1) === to
        ? []
        : [{ method: 'PATCH', path: pathOf('apps', 'replicasets', set), body: { spec: { replicas: to } } }]
    if (!current) return [newReplicaSet(deployment, hash, replicas, 1 + Math.max(0, ...sets.map(revisionOf)))]
    const old = sets.filter((set) => set !== current)
    return [
      ...scale(current, replicas),
      ...old.flatMap((set) => scale(set, 0)),
      ...noted(deployment, revisionOf(current)),
      ...deploymentStatus(deployment, current, sets, world),
    ]
  },
}

const revisionOf = ({ metadata }: KubeObject) => Number(metadata.annotations?.[revisionNote] ?? 0)

function noted(deployment: KubeObject, revision: number): readonly Write[] {
  if (revisionOf(deployment) === revision) return []
  const body = { metadata: { annotations: { [revisionNote]: String(revision) } } }
  return [{ method: 'PATCH', path: pathOf('apps', 'deployments', deployment), body }]
}

function newReplicaSet(deployment: KubeObject, hash: string, replicas: number, revision: number): Write {
  const { metadata, spec } = deployment
  const object = (value: Json | undefined): JsonObject => (value as JsonObject | undefined) ?? {}
  const template = object(field(spec, 'template'))
  const selector = object(field(spec, 'selector'))
  const labels = { ...object(part(template, 'metadata', 'labels')), [hashLabel]: hash }
  return {
    method: 'POST',
    path: collection('apps', 'replicasets', metadata.namespace),
    body: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name: `${metadata.name}-${hash}`,
        labels,
        annotations: { [revisionNote]: String(revision) },
        ownerReferences: [ownerReference(deployment)],
      },
      spec: {
        replicas,
        selector: { ...selector, matchLabels: { ...object(selector.matchLabels), [hashLabel]: hash } },
        template: { ...template, metadata: { ...object(template.metadata), labels } },
      },
    },
  }
}

function deploymentStatus(
  deployment: KubeObject,
  current: KubeObject,
  sets: readonly KubeObject[],
  { now }: World,
): readonly Write[] {
  const sum = (key: string) => sets.reduce((total, set) => total + number(field(set.status, key), 0), 0)
  const wanted = number(field(deployment.spec, 'replicas'), 1)
  const available = sum('availableReplicas')
  const updated = number(field(current.status, 'replicas'), 0)
  const done = updated >= wanted && available >= wanted
  const name = `"${current.metadata.name}"`
  const conditions = [
    available >= wanted
      ? ['Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.']
      : ['Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'],
    done
      ? ['Progressing', 'True', 'NewReplicaSetAvailable', `ReplicaSet ${name} has successfully progressed.`]
      : ['Progressing', 'True', 'ReplicaSetUpdated', `ReplicaSet ${name} is progressing.`],
  ].map((words) => condition(words, deployment, now))
  return statusWrite(pathOf('apps', 'deployments', deployment), deployment, {
    observedGeneration: deployment.metadata.generation,
    replicas: count(sum('replicas')),
    updatedReplicas: count(updated),
    readyReplicas: count(sum('readyReplicas')),
    availableReplicas: count(available),
    unavailableReplicas: count(Math.max(0, wanted - available)),
    conditions,
  })
}

/** One that says the same as before keeps its times. */
export function condition(words: readonly string[], object: KubeObject, now: string): JsonObject {
  const [type, status, reason, message] = words
  const known = field(object.status, 'conditions')
  const before = Array.isArray(known) ? known.find((c: Json) => field(c, 'type') === type) : undefined
  if (field(before, 'status') === status && field(before, 'reason') === reason) return before as JsonObject
  const since = field(before, 'status') === status ? (field(before, 'lastTransitionTime') ?? now) : now
  return { type, status, lastUpdateTime: now, lastTransitionTime: since, reason, message }
}

export const statefulSets: Controller = {
  group: 'apps',
  plural: 'statefulsets',
  decide: (set, world) => {
    const all = world.owned('pods', set)
    const wanted = number(field(set.spec, 'replicas'), 1)
    const revision = `${set.metadata.name}-${hashOf(field(set.spec, 'template'))}`
    const names = Array.from({ length: wanted }, (_, i) => `${set.metadata.name}-${i}`)
    const fresh = living(all).filter((pod) => pod.metadata.labels?.[revisionLabel] === revision)
    const kept = fresh.filter((pod) => names.includes(pod.metadata.name ?? ''))
    const stale = living(all).filter((pod) => !kept.includes(pod))
    const absent = names.filter((name) => !all.some((pod) => pod.metadata.name === name))
    const labelsOf = (name: string, i: number) => ({
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': String(i),
      [revisionLabel]: revision,
    })
    const ready = kept.filter(isReady).length
    return [
      ...absent.map((name) => podWrite({ owner: set, name: { name }, labels: labelsOf(name, names.indexOf(name)) })),
      ...stale.map((pod) => deletion('', 'pods', pod)),
      ...statusWrite(pathOf('apps', 'statefulsets', set), set, {
        observedGeneration: set.metadata.generation,
        replicas: all.length,
        readyReplicas: count(ready),
        currentReplicas: count(kept.length),
        updatedReplicas: count(kept.length),
        availableReplicas: ready,
        currentRevision: revision,
        updateRevision: revision,
      }),
    ]
  },
}

/** There is one node, so that there is one pod. */
export const daemonSets: Controller = {
  group: 'apps',
  plural: 'daemonsets',
  decide: (set, world) => {
    const pods = living(world.owned('pods', set))
    const revision = hashOf(field(set.spec, 'template'))
    const fresh = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === revision)
    const ready = fresh.filter(isReady).length
    const generateName = `${set.metadata.name}-`
    return [
      ...(fresh.length === 0
        ? [podWrite({ owner: set, name: { generateName }, labels: { [revisionLabel]: revision } })]
        : []),
      ...pods.filter((pod) => pod !== fresh[0]).map((pod) => deletion('', 'pods', pod)),
      ...statusWrite(pathOf('apps', 'daemonsets', set), set, {
        observedGeneration: set.metadata.generation,
        currentNumberScheduled: fresh.length,
        desiredNumberScheduled: 1,
        numberMisscheduled: 0,
        numberReady: ready,
        updatedNumberScheduled: count(fresh.length),
        numberAvailable: count(ready),
        numberUnavailable: count(1 - ready),
      }),
    ]
  },
}
