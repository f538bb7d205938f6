/** Defaults of single built-in kinds that look beyond one type: what is filled in belongs to whoever wrote the object. Pure. */
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject, withMetadata } from '../object.ts'

/** Without labels of its own, an object has those of its pods. */
export function withTemplateLabels(object: KubeObject): KubeObject {
  const labels = field(field(field(object.spec, 'template'), 'metadata'), 'labels')
  if (object.metadata.labels !== undefined || !isObject(labels)) return object
  return withMetadata(object, { ...object.metadata, labels: labels as { readonly [key: string]: string } })
}

/** A number that older clients read, kept in step with the object's own. */
export function withTemplateGeneration(object: KubeObject): KubeObject {
  const name = 'deprecated.daemonset.template.generation'
  const value = String(object.metadata.generation ?? 1)
  const annotations = { [name]: value, ...object.metadata.annotations }
  return withMetadata(object, { ...object.metadata, annotations })
}

/** The claims of a stateful set are objects within an object: they say what they are. */
export function withClaimTypes(object: KubeObject): KubeObject {
  const { spec } = object
  const claims = field(spec, 'volumeClaimTemplates')
  if (!isObject(spec) || !Array.isArray(claims)) return object
  const complete = claims.map((claim: Json): Json => {
    if (!isObject(claim)) return claim
    const status: JsonObject = { phase: 'Pending', ...(isObject(claim.status) ? claim.status : {}) }
    return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...claim, status }
  })
  return { ...object, spec: { ...spec, volumeClaimTemplates: complete } }
}
