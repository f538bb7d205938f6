/**
 * What a server fills in on built-in objects: the observed defaults of each type, and the few that depend on other fields.
 * Guarantees: the input is not changed; a field that is there stays.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { fieldShape, type Shape } from '../schema/shape.ts'
import { typeDefaults } from './data/defaults.ts'
import type { Kind, KindVersion } from './kind.ts'
import { shapeOfKind } from './shapes.ts'

const byType = new Map(typeDefaults.map(({ type, fields }) => [type, Object.entries(fields)]))

export function withTypeDefaults(object: KubeObject, kind: Kind, version: KindVersion): KubeObject {
  const shape = shapeOfKind(kind, version)
  const filled = shape.typeName === undefined ? object : fillObject(object, shape)
  return atTop(filled as KubeObject, kind)
}

/** Decided by the kind, not by the type: a pod's own spec differs from a template's. */
function atTop(object: KubeObject, kind: Kind): KubeObject {
  if (!isObject(object.spec)) return object
  const defaults = kindDefaults.get(`${kind.group}/${kind.kind}`)
  return defaults ? { ...object, spec: { ...defaults(object), ...object.spec } } : object
}

const kindDefaults = new Map<string, (object: KubeObject) => JsonObject>([
  ['/Pod', () => ({ enableServiceLinks: true })],
  [
    'batch/Job',
    ({ spec }: KubeObject) => ({
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      manualSelector: false,
      parallelism: 1,
      podReplacementPolicy: 'TerminatingOrFailed',
      suspend: false,
      ...(isObject(spec) && spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {}),
    }),
  ],
])

function fill(value: Json, shape: Shape): Json {
  if (Array.isArray(value)) return value.map((item: Json) => fill(item, shape.items))
  return isObject(value) ? fillObject(value, shape) : value
}

function fillObject(object: JsonObject, shape: Shape): JsonObject {
  const result: Record<string, Json | undefined> = {}
  for (const [key, value] of Object.entries(object)) {
    const child = fieldShape(shape, key)
    // Metadata has no defaults, and what the server keeps there is not for walking.
    result[key] = child && value !== undefined && key !== 'metadata' ? fill(value, child) : value
  }
  for (const [key, value] of byType.get(shape.typeName ?? '') ?? []) {
    if (isAbsent(result[key], value)) result[key] = value
  }
  conditional.get(shape.typeName ?? '')?.(result)
  return result
}

/** An empty text, or an empty object where the default has contents, is what a typed server makes of a missing one. */
const isAbsent = (value: Json | undefined, wanted: Json) =>
  value === undefined ||
  value === null ||
  (value === '' && wanted !== '') ||
  (isObject(value) && isObject(wanted) && Object.keys(value).length === 0)

type Draft = Record<string, Json | undefined>

/** Defaults that depend on another field of the same object. */
const conditional: ReadonlyMap<string, (draft: Draft) => void> = new Map([
  [
    'io.k8s.api.core.v1.Container',
    (draft: Draft) => {
      draft.imagePullPolicy ??= isLatest(draft.image) ? 'Always' : 'IfNotPresent'
    },
  ],
  [
    'io.k8s.api.core.v1.PodSpec',
    (draft: Draft) => {
      if (draft.serviceAccountName !== undefined) draft.serviceAccount ??= draft.serviceAccountName
    },
  ],
  [
    'io.k8s.api.core.v1.ServicePort',
    (draft: Draft) => {
      if (draft.targetPort === undefined || draft.targetPort === 0) draft.targetPort = draft.port
    },
  ],
  [
    'io.k8s.api.apps.v1.DeploymentStrategy',
    (draft: Draft) => {
      if (draft.type === 'RollingUpdate') draft.rollingUpdate ??= { maxUnavailable: '25%', maxSurge: '25%' }
    },
  ],
  [
    'io.k8s.api.apps.v1.DaemonSetUpdateStrategy',
    (draft: Draft) => {
      if (draft.type === 'RollingUpdate') draft.rollingUpdate ??= { maxUnavailable: 1, maxSurge: 0 }
    },
  ],
  [
    'io.k8s.api.apps.v1.StatefulSetUpdateStrategy',
    (draft: Draft) => {
      if (draft.type === 'RollingUpdate') draft.rollingUpdate ??= { partition: 0 }
    },
  ],
  [
    'io.k8s.api.rbac.v1.Subject',
    (draft: Draft) => {
      if (draft.kind !== 'ServiceAccount') draft.apiGroup ??= 'rbac.authorization.k8s.io'
    },
  ],
  [
    'io.k8s.api.core.v1.ObjectFieldSelector',
    (draft: Draft) => {
      draft.apiVersion ??= 'v1'
    },
  ],
  [
    'io.k8s.api.core.v1.ResourceRequirements',
    (draft: Draft) => {
      // What is limited and not requested is requested in full.
      if (isObject(draft.limits))
        draft.requests = { ...draft.limits, ...(isObject(draft.requests) ? draft.requests : {}) }
    },
  ],
])

function isLatest(image: Json | undefined): boolean {
  const name = String(image ?? '').split('@')[0] ?? ''
  if (String(image ?? '').includes('@')) return false
  const tag = /:([^/:]+)$/.exec(name)?.[1]
  return tag === undefined || tag === 'latest'
}
