/**
 * The roles and bindings that every cluster with RBAC starts with, as a real kube-apiserver writes them.
 * Guarantees: what is missing is made; what is there and may be updated gets back the rules and subjects that it lacks, as at each start
 * of the original; roles that are made of others are complete at once.
 */
import { timestamp } from '../clock.ts'
import { equalJson, type Json } from '../json.ts'
import { policy as packedPolicy } from '../kinds/data/policy.ts'
import { lazily } from '../kinds/generated-data.ts'
import { type KubeObject, withMetadata } from '../object.ts'
import { uid } from '../random.ts'
import type { Backend } from '../request/backend.ts'
import { keyOf } from '../storage/table.ts'
import { aggregatedRules } from './aggregation.ts'
import { rulesIn, uncovered } from './policy-rule.ts'
import { rbacGroup } from './rbac.ts'

const policy = lazily<readonly KubeObject[]>(packedPolicy)
const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate'

export function ensurePolicy(backend: Backend): void {
  const complete = aggregated(aggregated(policy()))
  for (const object of complete) ensure(backend, object)
}

/** Twice: admin is made of edit, which is made of view. */
function aggregated(objects: readonly KubeObject[]): readonly KubeObject[] {
  const roles = objects.filter(({ kind }) => kind === 'ClusterRole')
  return objects.map((object) => {
    const rules = object.kind === 'ClusterRole' ? aggregatedRules(object, roles) : undefined
    return rules === undefined ? object : { ...object, rules }
  })
}

function ensure(backend: Backend, wanted: KubeObject): void {
  const { storage } = backend
  const { name = '', namespace = '' } = wanted.metadata
  const table = storage.table(`${rbacGroup}/${wanted.kind.toLowerCase()}s`)
  const present = table.get(keyOf(namespace, name))?.object
  const next = present ? reconciled(present, wanted) : fresh(backend, wanted)
  if (next !== present) storage.put(table, keyOf(namespace, name), next)
}

function fresh(backend: Backend, wanted: KubeObject): KubeObject {
  const { name, namespace, ...rest } = wanted.metadata
  return withMetadata(wanted, {
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    uid: uid(backend.random),
    creationTimestamp: timestamp(backend.clock.now()),
    ...rest,
  })
}

function reconciled(present: KubeObject, wanted: KubeObject): KubeObject {
  if (present.metadata.annotations?.[autoUpdate] === 'false' || present.aggregationRule !== undefined) return present
  if (wanted.subjects !== undefined) return withSubjects(present, wanted)
  const rules = (object: KubeObject) => rulesIn(object.rules as Json | undefined)
  const missing = uncovered(rules(present), rules(wanted))
  if (missing.length === 0) return present
  const kept = Array.isArray(present.rules) ? (present.rules as readonly Json[]) : []
  return { ...present, rules: [...kept, ...missing.map(withoutEmpty)] }
}

const withoutEmpty = (rule: object): Json =>
  Object.fromEntries(Object.entries(rule).filter(([, items]) => !Array.isArray(items) || items.length > 0))

function withSubjects(present: KubeObject, wanted: KubeObject): KubeObject {
  const list = (object: KubeObject) => (Array.isArray(object.subjects) ? (object.subjects as readonly Json[]) : [])
  const missing = list(wanted).filter((subject) => !list(present).some((known) => equalJson(known, subject)))
  return missing.length === 0 ? present : { ...present, subjects: [...list(present), ...missing] }
}
