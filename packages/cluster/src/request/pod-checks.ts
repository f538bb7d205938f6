/** What a new pod has to be, what an update may change of its spec, and what the server adds to its status. Pure. */
import { forbiddenField, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { equalJson, isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject, withoutKey } from '../object.ts'
import { podSpecCauses } from './pod-spec-checks.ts'

const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const list = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((item: Json) => part(item)) : []

const containers = ['containers', 'initContainers'] as const
const may =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

/** Images, the deadline, and further tolerations; subresources go their own way. */
export function podCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  if (old === undefined) {
    const none = list(part(object.spec).containers).length === 0
    return [...(none ? [required('spec.containers')] : []), ...podSpecCauses(object.spec, 'spec')]
  }
  const [next, before] = [part(object.spec), part(old.spec)]
  const causes = containers.flatMap((name) =>
    list(next[name]).length === list(before[name]).length
      ? []
      : [forbiddenField(`spec.${name}`, 'pod updates may not add or remove containers')],
  )
  if (causes.length > 0) return causes
  return equalJson(essence(next), essence(before)) ? [] : [forbiddenField('spec', may)]
}

/** The spec without what an update may change, and without what /ephemeralcontainers, /resize and /binding change. */
function essence(spec: JsonObject): JsonObject {
  const kept = [
    'activeDeadlineSeconds',
    'tolerations',
    'terminationGracePeriodSeconds',
    'ephemeralContainers',
    'schedulingGates',
  ]
  const rest = kept.reduce((left, key) => withoutKey(left, key), spec)
  const named = containers.filter((name) => rest[name] !== undefined)
  return { ...rest, ...Object.fromEntries(named.map((name) => [name, list(rest[name]).map(withoutImage)])) }
}

const withoutImage = (container: JsonObject) => withoutKey(withoutKey(container, 'image'), 'resources')

/** The first of all addresses is the address. */
export function withAddresses(object: KubeObject): KubeObject {
  const ip = field(object.status, 'podIP')
  if (typeof ip !== 'string' || ip === '' || field(object.status, 'podIPs') !== undefined) return object
  return { ...object, status: { ...part(object.status), podIPs: [{ ip }] } }
}
