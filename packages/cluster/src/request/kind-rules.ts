/**
 * What single built-in kinds do beyond the general rules. Defaults and checks of further kinds belong here too.
 * All functions are pure.
 */
import { bindingCauses, roleCauses, withSubjectGroups } from '../access/binding-rules.ts'
import { configurationCauses } from '../admission/configuration.ts'
import { type Cause, forbidden } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { defaultedDefinition, definitionCauses, removedStoredVersions, storageVersion } from '../kinds/custom.ts'
import { coreEvent } from '../kinds/event-forms.ts'
import { type Kind, kindId } from '../kinds/kind.ts'
import { field, type KubeObject, withMetadata, withoutKey } from '../object.ts'
import { unknownFormats } from '../schema/check.ts'
import { configMapCauses, secretCauses } from './content-checks.ts'
import { cronJobCauses, jobCauses } from './job-checks.ts'
import { admittedNode, admittedPod, selectingJob, tolerantPod } from './kind-admission.ts'
import { countCauses, eventCauses, leaseCauses, renewedEventCauses, workloadCauses } from './kind-checks.ts'
import { withClaimTypes, withTemplateGeneration, withTemplateLabels } from './kind-defaults.ts'
import { podCauses, withAddresses } from './pod-checks.ts'
import { addressedService, filledService, serviceCauses } from './service-rules.ts'

export interface KindRules {
  /** What a server fills in before anybody is asked who owns it. */
  fill?(object: KubeObject): KubeObject
  /** Advice for the author. */
  warnings?(object: KubeObject): readonly string[]
  prepareNew?(object: KubeObject): KubeObject
  prepareUpdate?(object: KubeObject, old: KubeObject): KubeObject
  /** What an update of the object itself cannot change, taken from what there is. */
  carry?(object: KubeObject, old: KubeObject): KubeObject
  causes?(object: KubeObject, old: KubeObject | undefined): readonly Cause[]
  /** Throws when the object may not be deleted at all. */
  checkDelete?(kind: Kind, object: KubeObject): void
  /** What a deletion changes on the object beside the timestamp. */
  markDeleted?(object: KubeObject): KubeObject
  /** Whether something beside metadata.finalizers keeps a deleted object. */
  held?(object: KubeObject): boolean
}

const immortal = new Set(['default', 'kube-system', 'kube-public'])

const namespaceRules: KindRules = {
  fill: (object) => {
    const labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' }
    return withMetadata(object, { ...object.metadata, labels })
  },
  prepareNew: (object) => {
    const spec = isObject(object.spec) ? object.spec : {}
    return { ...object, spec: { ...spec, finalizers: finalizersOf(spec) } }
  },
  // Only /finalize can change what holds a namespace.
  carry: (object, old) => ({
    ...object,
    spec: { ...(isObject(object.spec) ? object.spec : {}), finalizers: field(old.spec, 'finalizers') ?? [] },
  }),
  prepareUpdate: (object) => ({ ...object, spec: trimmed(isObject(object.spec) ? object.spec : {}) }),
  checkDelete: (kind, { metadata }) => {
    if (immortal.has(metadata.name ?? ''))
      throw forbidden(kind, metadata.name ?? '', 'this namespace may not be deleted')
  },
  markDeleted: (object) => ({
    ...withMetadata(object, withoutKey(object.metadata, 'deletionGracePeriodSeconds')),
    status: { ...(isObject(object.status) ? object.status : {}), phase: 'Terminating' },
  }),
  held: (object) => finalizerCount(object) > 0,
}

const finalizersOf = (spec: JsonObject): Json => {
  const given = Array.isArray(spec.finalizers) ? spec.finalizers : []
  return given.includes('kubernetes') ? given : [...given, 'kubernetes']
}
const trimmed = (spec: JsonObject) =>
  Array.isArray(spec.finalizers) && spec.finalizers.length === 0 ? withoutKey(spec, 'finalizers') : spec
const finalizerCount = (object: KubeObject) => {
  const finalizers = field(object.spec, 'finalizers')
  return Array.isArray(finalizers) ? finalizers.length : 0
}

/** stringData is a way to write, never to read. */
function foldedSecret(object: KubeObject): KubeObject {
  const type = object.type ?? 'Opaque'
  if (!isObject(object.stringData)) return { ...object, type }
  const encoded = Object.entries(object.stringData).map(([k, v]) => [k, Buffer.from(String(v)).toString('base64')])
  const data = { ...(isObject(object.data) ? object.data : {}), ...Object.fromEntries(encoded) }
  return { ...withoutKey(object, 'stringData'), data, type }
}

export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'

const definitionRules: KindRules = {
  fill: defaultedDefinition,
  prepareNew: (object) => ({
    ...object,
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: [storageVersion(object)] },
  }),
  prepareUpdate: (object) => withStoredVersion(object),
  causes: (object, old) => [
    ...definitionCauses(object, old),
    ...(old === undefined ? [] : removedStoredVersions(object, old)),
  ],
  warnings: (object) => {
    const versions = field(object.spec, 'versions')
    const schemas = Array.isArray(versions)
      ? versions.map((v: Json) => field(field(v, 'schema'), 'openAPIV3Schema'))
      : []
    return [...new Set(schemas.flatMap((schema) => unknownFormats(schema)))].map(
      (name) => `unrecognized format "${name}"`,
    )
  },
  markDeleted: (object) => {
    const finalizers = object.metadata.finalizers ?? []
    // The original marks definitions by a way of its own, which neither counts as a change nor knows of grace.
    const { deletionGracePeriodSeconds: _, generation, ...rest } = object.metadata
    const first = !finalizers.includes(cleanupFinalizer)
    const metadata = {
      ...rest,
      ...(generation === undefined ? {} : { generation: first ? generation - 1 : generation }),
      finalizers: first ? [...finalizers, cleanupFinalizer] : finalizers,
    }
    return withTerminating(withMetadata(object, metadata))
  },
}

/** Told as soon as the deletion is asked for. */
function withTerminating(object: KubeObject): KubeObject {
  const status = isObject(object.status) ? object.status : {}
  const known = Array.isArray(status.conditions) ? (status.conditions as readonly JsonObject[]) : []
  if (known.some((condition) => condition.type === 'Terminating')) return object
  const condition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: object.metadata.deletionTimestamp ?? null,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  }
  return { ...object, status: { ...status, conditions: [...known, condition] } }
}

function withStoredVersion(object: KubeObject): KubeObject {
  const status = isObject(object.status) ? object.status : {}
  const stored = Array.isArray(status.storedVersions) ? status.storedVersions : []
  const version = storageVersion(object)
  if (version === '' || stored.includes(version)) return object
  return { ...object, status: { ...status, storedVersions: [...stored, version] } }
}

/** Kept until nobody uses it: housekeeping takes the finalizer away. */
function held(object: KubeObject, finalizer: string): KubeObject {
  const finalizers = object.metadata.finalizers ?? []
  if (finalizers.includes(finalizer)) return object
  return withMetadata(object, { ...object.metadata, finalizers: [...finalizers, finalizer] })
}

/** Coordinated elections are not switched on, in the original neither. */
function withoutStrategy(object: KubeObject): KubeObject {
  if (!isObject(object.spec)) return object
  return { ...object, spec: withoutKey(withoutKey(object.spec, 'strategy'), 'preferredHolder') }
}

const rules = new Map<string, KindRules>([
  ['/namespaces', namespaceRules],
  ['/configmaps', { causes: configMapCauses }],
  ['/secrets', { fill: foldedSecret, causes: secretCauses }],
  ['/nodes', { prepareNew: admittedNode }],
  ['/pods', { fill: withAddresses, prepareNew: admittedPod, prepareUpdate: tolerantPod, causes: podCauses }],
  ['/persistentvolumeclaims', { prepareNew: (object) => held(object, 'kubernetes.io/pvc-protection') }],
  ['/persistentvolumes', { prepareNew: (object) => held(object, 'kubernetes.io/pv-protection') }],
  [
    '/services',
    { fill: filledService, prepareNew: addressedService, prepareUpdate: addressedService, causes: serviceCauses },
  ],
  ['/replicationcontrollers', { fill: withTemplateLabels }],
  ['batch/jobs', { fill: withTemplateLabels, prepareNew: selectingJob, causes: jobCauses }],
  ['batch/cronjobs', { causes: cronJobCauses }],
  ['/events', { causes: eventCauses }],
  ['events.k8s.io/events', { causes: (object, old) => renewedEventCauses(coreEvent(object), old && coreEvent(old)) }],
  ['coordination.k8s.io/leases', { fill: withoutStrategy, causes: leaseCauses }],
  ['apps/deployments', { causes: (object, old) => [...workloadCauses(object, old), ...countCauses(object, old)] }],
  ['apps/replicasets', { causes: (object, old) => [...workloadCauses(object, old), ...countCauses(object, old)] }],
  ['apps/statefulsets', { fill: withClaimTypes, causes: workloadCauses }],
  ['apps/daemonsets', { fill: withTemplateGeneration, causes: workloadCauses }],
  ['apiextensions.k8s.io/customresourcedefinitions', definitionRules],
  ['rbac.authorization.k8s.io/roles', { causes: roleCauses }],
  ['rbac.authorization.k8s.io/clusterroles', { causes: roleCauses }],
  ['rbac.authorization.k8s.io/rolebindings', { fill: withSubjectGroups, causes: bindingCauses }],
  ['rbac.authorization.k8s.io/clusterrolebindings', { fill: withSubjectGroups, causes: bindingCauses }],
  ['admissionregistration.k8s.io/mutatingwebhookconfigurations', { causes: configurationCauses }],
  ['admissionregistration.k8s.io/validatingwebhookconfigurations', { causes: configurationCauses }],
])

const none: KindRules = {}

export const rulesOf = (kind: Kind): KindRules => rules.get(kindId(kind)) ?? none
