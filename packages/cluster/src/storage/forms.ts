/**
 * Stored objects in the versions that a conversion webhook made of them, so that readers need not wait.
 * Guarantees: forms belong to one state of an object and go with it; a change of metadata alone carries them over.
 */
import type { StatusError } from '../http/status.ts'
import { equalJson } from '../json.ts'
import { type KubeObject, withMetadata } from '../object.ts'

/** By apiVersion: the form, or why there is none. */
type Forms = Map<string, KubeObject | StatusError>

const forms = new WeakMap<KubeObject, Forms>()

export function formOf(object: KubeObject, apiVersion: string): KubeObject | StatusError | undefined {
  return forms.get(object)?.get(apiVersion)
}

export function setForm(object: KubeObject, apiVersion: string, form: KubeObject | StatusError): void {
  const known = forms.get(object)
  if (known) known.set(apiVersion, form)
  else forms.set(object, new Map([[apiVersion, form]]))
}

export function dropForms(object: KubeObject): void {
  forms.delete(object)
}

/** To a later state that differs in metadata only. False when there is nothing to carry. */
export function carryForms(from: KubeObject | undefined, to: KubeObject): boolean {
  const known = from && forms.get(from)
  if (!known || !from) return false
  const { metadata: _, ...before } = from
  const { metadata, ...after } = to
  if (!equalJson(before, after)) return false
  const { labels: __, annotations: ___, ...changed } = metadata
  for (const [apiVersion, form] of known) {
    const isObject = 'metadata' in form
    setForm(to, apiVersion, isObject ? withMetadata(form, { ...changed, ...ownWords(form) }) : form)
  }
  return true
}

/** Labels and annotations are all of the metadata that a webhook may change. */
function ownWords({ metadata }: KubeObject) {
  const { labels, annotations } = metadata
  return { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) }
}
