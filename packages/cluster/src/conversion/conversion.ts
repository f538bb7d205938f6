/**
 * Conversion webhooks: objects of a kind in its other versions.
 * Guarantees: an object is stored in the storage version; whoever reads gets his own. A webhook is asked when an object is written, and
 * when one is read in a version for the first time since its definition changed; all objects that need it go in one question.
 * Does not guarantee: that fields are owned across versions; owners keep the fields that they named in their own version.
 */
import { StatusError } from '../http/status.ts'
import { coreEvent, isRenewedEvent } from '../kinds/event-forms.ts'
import { groupVersion, type Kind, type KindVersion } from '../kinds/kind.ts'
import { convert } from '../kinds/views.ts'
import { type KubeObject, withMetadata } from '../object.ts'
import { after, type Pending } from '../pending.ts'
import { type Operation, tableOf } from '../request/backend.ts'
import { fillDefaults } from '../schema/defaults.ts'
import { prune } from '../schema/prune.ts'
import { formOf, setForm } from '../storage/forms.ts'
import { askConverter } from './review.ts'

/** What will be stored; its other forms are known by then. */
export function inStorageVersion(
  next: KubeObject,
  old: KubeObject | undefined,
  operation: Operation,
): Pending<KubeObject> {
  const { kind } = operation
  if (isRenewedEvent(kind)) return coreEvent(next)
  if (kind.conversion === undefined) return convert(next, kind, kind.storage)
  return storedForm(next, old, operation)
}

async function storedForm(next: KubeObject, old: KubeObject | undefined, operation: Operation): Promise<KubeObject> {
  const { kind, version } = operation
  const isStorage = version.name === kind.storage.name
  const prepared = isStorage ? next : withIdentity(await converted(next, kind.storage, operation), next)
  if (!isStorage) setForm(prepared, groupVersion(kind.group, version.name), next)
  for (const other of othersOf(kind)) {
    if (other === version || (isStorage && old === undefined && kind.versions.length === 1)) continue
    await rememberForm([prepared], other, operation)
  }
  return prepared
}

const othersOf = (kind: Kind) => kind.versions.filter((version) => version.name !== kind.storage.name)

/** The webhook may not change who the object is. */
const withIdentity = (object: KubeObject, from: KubeObject) =>
  withMetadata(object, {
    ...from.metadata,
    ...(object.metadata.labels === undefined ? {} : { labels: object.metadata.labels }),
    ...(object.metadata.annotations === undefined ? {} : { annotations: object.metadata.annotations }),
  })

async function converted(object: KubeObject, to: KindVersion, operation: Operation): Promise<KubeObject> {
  const [form] = await askConverter([object], groupVersion(operation.kind.group, to.name), operation)
  return read(form as KubeObject, to)
}

function read(object: KubeObject, { schema }: KindVersion): KubeObject {
  return schema ? (fillDefaults(prune(object, schema), schema) as KubeObject) : object
}

async function rememberForm(objects: readonly KubeObject[], version: KindVersion, operation: Operation): Promise<void> {
  const apiVersion = groupVersion(operation.kind.group, version.name)
  try {
    const found = await askConverter(objects, apiVersion, operation)
    for (const [i, object] of objects.entries())
      setForm(object, apiVersion, withIdentity(read(found[i] as KubeObject, version), object))
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    for (const object of objects) setForm(object, apiVersion, error)
  }
}

/** Before anything is read: all that the request may show has its form. A failure of another time is asked about again. */
export function readable(operation: Operation): Pending<void> {
  const { kind, version, backend } = operation
  if (kind.conversion === undefined || version.name === kind.storage.name) return undefined
  const apiVersion = groupVersion(kind.group, version.name)
  const missing = tableOf(backend, kind)
    .list('')
    .map(({ object }) => object)
    .filter((object) => !isForm(formOf(object, apiVersion)))
  if (missing.length === 0) return undefined
  return after(rememberForm(missing, version, operation), () => undefined)
}

const isForm = (form: KubeObject | StatusError | undefined) => form !== undefined && !(form instanceof StatusError)
