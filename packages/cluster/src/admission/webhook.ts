/** Webhooks as their configurations describe them, in the order in which they are asked. */
import { CallFailure, type WebhookAddress } from '../http/webhook-call.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field } from '../object.ts'
import type { Backend } from '../request/backend.ts'

export interface WebhookRule {
  readonly operations: readonly string[]
  readonly groups: readonly string[]
  readonly versions: readonly string[]
  readonly resources: readonly string[]
  readonly scope: string
}

export interface Condition {
  readonly name: string
  readonly expression: string
}

export interface Webhook {
  readonly name: string
  readonly client: JsonObject
  readonly rules: readonly WebhookRule[]
  readonly ignoresFailure: boolean
  readonly exact: boolean
  readonly namespaceSelector: Json | undefined
  readonly objectSelector: Json | undefined
  readonly conditions: readonly Condition[]
  readonly seconds: number
  readonly sideEffects: string
  readonly reinvoked: boolean
}

export type WebhookKind = 'mutating' | 'validating'

const tables = {
  mutating: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  validating: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
}

const none: readonly Webhook[] = []

/** By the name of their configuration, then in its order. */
export function webhooks({ storage }: Backend, kind: WebhookKind): readonly Webhook[] {
  const table = storage.table(tables[kind])
  if (table.size === 0) return none
  return table.list('').flatMap(({ object }) => list(object.webhooks).map(webhookOf))
}

const list = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((item: Json): item is JsonObject => isObject(item)) : []
const strings = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item: Json): item is string => typeof item === 'string') : []
const text = (value: Json | undefined, absent = '') => (typeof value === 'string' ? value : absent)

function webhookOf(raw: JsonObject): Webhook {
  return {
    name: text(raw.name),
    client: isObject(raw.clientConfig) ? raw.clientConfig : {},
    rules: list(raw.rules).map(ruleOf),
    ignoresFailure: raw.failurePolicy === 'Ignore',
    exact: raw.matchPolicy === 'Exact',
    namespaceSelector: raw.namespaceSelector,
    objectSelector: raw.objectSelector,
    conditions: list(raw.matchConditions).map((c) => ({ name: text(c.name), expression: text(c.expression) })),
    seconds: typeof raw.timeoutSeconds === 'number' ? raw.timeoutSeconds : 10,
    sideEffects: text(raw.sideEffects),
    reinvoked: raw.reinvocationPolicy === 'IfNeeded',
  }
}

const ruleOf = (raw: JsonObject): WebhookRule => ({
  operations: strings(raw.operations),
  groups: strings(raw.apiGroups),
  versions: strings(raw.apiVersions),
  resources: strings(raw.resources),
  scope: text(raw.scope, '*'),
})

/** Where a webhook listens: its url, or where the cluster was told that its service is. Throws CallFailure when nobody told it. */
export function addressOf({ services }: Backend, client: JsonObject, query: string): WebhookAddress {
  const bundle = text(client.caBundle)
  const authority = bundle === '' ? undefined : Buffer.from(bundle, 'base64').toString()
  const url = text(client.url)
  if (url !== '') return { url: `${url}${query}`, authority }
  const [namespace, name] = [text(field(client.service, 'namespace')), text(field(client.service, 'name'))]
  const port = field(client.service, 'port') ?? 443
  const named = `https://${name}.${namespace}.svc:${String(port)}${text(field(client.service, 'path')) || '/'}${query}`
  const place = services.get(`${namespace}/${name}:${String(port)}`) ?? services.get(`${namespace}/${name}`)
  if (place === undefined) throw new CallFailure(`Post "${named}": service "${name}" not found`)
  return { url: named, authority, connect: place }
}
