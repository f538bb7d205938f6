/** Tells of an owner that cannot be one: a namespaced owner is looked for in the namespace of its dependent. */
import { timestamp } from '../clock.ts'
import type { KubeObject, OwnerReference } from '../object.ts'
import { uid } from '../random.ts'
import type { Backend } from '../request/backend.ts'
import { keyOf } from '../storage/table.ts'

const reason = 'OwnerRefInvalidNamespace'

/** One event for each dependent and owner, however often it is found. */
export function tellWrongNamespace(backend: Backend, dependent: KubeObject, owner: OwnerReference): void {
  const { name = '', namespace = '', uid: id = '', resourceVersion } = dependent.metadata
  const where = namespace === '' ? 'default' : namespace
  const event = `${name}.${owner.uid.replace(/-/g, '').slice(0, 16)}`
  const table = backend.storage.table('/events')
  const key = keyOf(where, event)
  if (table.get(key) || !backend.storage.table('/namespaces').get(where)) return
  const now = timestamp(backend.clock.now())
  const [version, group] = owner.apiVersion.split('/').reverse()
  const named = `${group === undefined ? '' : `${group}/`}${version}/${owner.kind}`
  backend.storage.put(table, key, {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: event, namespace: where, uid: uid(backend.random), creationTimestamp: now },
    involvedObject: {
      kind: dependent.kind,
      namespace,
      name,
      uid: id,
      apiVersion: dependent.apiVersion,
      resourceVersion,
    },
    reason,
    message: `ownerRef [${named}, namespace: ${namespace}, name: ${owner.name}, uid: ${owner.uid}] does not exist in namespace "${namespace}"`,
    source: { component: 'garbage-collector-controller' },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    type: 'Warning',
    eventTime: null,
    reportingComponent: 'garbage-collector-controller',
    reportingInstance: '',
  })
}
