/** What keeps a webhook configuration from being accepted. Pure; the words are the original's. */
import { duplicate, invalidValue, notSupported, required } from '../http/field-error.ts'
import type { Cause } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { KubeObject } from '../object.ts'
import { conditionError } from './conditions.ts'

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])
const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})

export function configurationCauses(object: KubeObject): readonly Cause[] {
  const mutating = object.kind === 'MutatingWebhookConfiguration'
  const seen = new Set<Json>()
  return list(object.webhooks).flatMap((raw, i) => {
    const webhook = part(raw)
    const at = `webhooks[${i}]`
    const name = webhook.name ?? ''
    const twice = mutating && seen.has(name) ? [duplicate(`${at}.name`, name)] : []
    seen.add(name)
    return [...webhookCauses(webhook, at, mutating), ...twice]
  })
}

function webhookCauses(webhook: JsonObject, at: string, mutating: boolean): readonly Cause[] {
  return [
    ...nameCauses(webhook.name, `${at}.name`),
    ...list(webhook.rules).flatMap((rule, i) => ruleCauses(part(rule), `${at}.rules[${i}]`)),
    ...chosen(webhook.failurePolicy, `${at}.failurePolicy`, ['Fail', 'Ignore']),
    ...chosen(webhook.matchPolicy, `${at}.matchPolicy`, ['Equivalent', 'Exact']),
    ...sideEffectCauses(webhook.sideEffects, `${at}.sideEffects`),
    ...timeoutCauses(webhook.timeoutSeconds, `${at}.timeoutSeconds`),
    ...selectorCauses(webhook.namespaceSelector, `${at}.namespaceSelector`),
    ...selectorCauses(webhook.objectSelector, `${at}.objectSelector`),
    ...clientCauses(part(webhook.clientConfig), `${at}.clientConfig`),
    ...(mutating ? chosen(webhook.reinvocationPolicy, `${at}.reinvocationPolicy`, ['IfNeeded', 'Never']) : []),
    ...versionCauses(list(webhook.admissionReviewVersions), `${at}.admissionReviewVersions`),
    ...conditionCauses(list(webhook.matchConditions), `${at}.matchConditions`),
  ]
}

function nameCauses(name: Json | undefined, at: string): Cause[] {
  if (typeof name !== 'string' || name === '') return [required(at)]
  const why = 'should be a domain with at least three segments separated by dots'
  return name.split('.').length < 3 ? [invalidValue(at, name, why)] : []
}

const chosen = (value: Json | undefined, at: string, allowed: readonly string[]): Cause[] =>
  value === undefined || (typeof value === 'string' && allowed.includes(value))
    ? []
    : [notSupported(at, value, allowed)]

function sideEffectCauses(value: Json | undefined, at: string): Cause[] {
  if (value === undefined) return [required(at, 'must specify one of None, NoneOnDryRun')]
  return chosen(value, at, ['None', 'NoneOnDryRun'])
}

function timeoutCauses(value: Json | undefined, at: string): Cause[] {
  if (typeof value !== 'number' || (value >= 1 && value <= 30)) return []
  return [invalidValue(at, value, 'the timeout value must be between 1 and 30 seconds')]
}

const verbs = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE']

function ruleCauses(rule: JsonObject, at: string): Cause[] {
  const causes: Cause[] = []
  const some = (key: string, what: string, every = '*') => {
    const values = list(rule[key])
    if (values.length === 0) causes.push(required(`${at}.${key}`))
    if (values.length > 1 && values.includes(every)) {
      causes.push(invalidValue(`${at}.${key}`, values, `if '${every}' is present, must not specify other ${what}`))
    }
    return values
  }
  for (const [i, verb] of some('operations', 'operations').entries()) {
    causes.push(...chosen(verb, `${at}.operations[${i}]`, verbs))
  }
  some('apiGroups', 'API groups')
  some('apiVersions', 'API versions')
  some('resources', 'resources', '*/*')
  return [...causes, ...chosen(rule.scope, `${at}.scope`, ['*', 'Cluster', 'Namespaced'])]
}

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist']

function selectorCauses(selector: Json | undefined, at: string): Cause[] {
  return list(part(selector).matchExpressions).flatMap((raw, i) => {
    const { operator } = part(raw)
    if (typeof operator === 'string' && operators.includes(operator)) return []
    return [invalidValue(`${at}.matchExpressions[${i}].operator`, operator ?? '', 'not a valid selector operator')]
  })
}

/** Also of the conversion of a definition. */
export function clientCauses(client: JsonObject, at: string): Cause[] {
  const { url, service } = client
  if ((url === undefined) === (service === undefined))
    return [required(at, 'exactly one of url or service is required')]
  return typeof url === 'string' ? urlCauses(url, `${at}.url`) : serviceCauses(part(service), `${at}.service`)
}

const shape = '; desired format: https://host[/path]'

function urlCauses(text: string, at: string): Cause[] {
  if (!URL.canParse(text)) return [required(at, `url must be a valid URL${shape}`)]
  const url = new URL(text)
  const causes: Cause[] = []
  const scheme = url.protocol.slice(0, -1)
  if (scheme !== 'https') causes.push(invalidValue(at, scheme, `'https' is the only allowed URL scheme${shape}`))
  if (url.host === '') causes.push(invalidValue(at, '', `host must be specified${shape}`))
  const user = url.password === '' ? url.username : `${url.username}:${url.password}`
  if (user !== '') causes.push(invalidValue(at, user, 'user information is not permitted in the URL'))
  if (url.hash !== '') causes.push(invalidValue(at, url.hash.slice(1), 'fragments are not permitted in the URL'))
  if (url.search !== '')
    causes.push(invalidValue(at, url.search.slice(1), 'query parameters are not permitted in the URL'))
  return causes
}

function serviceCauses(service: JsonObject, at: string): Cause[] {
  const causes: Cause[] = []
  for (const key of ['name', 'namespace']) if (!service[key]) causes.push(required(`${at}.${key}`))
  const { port, path } = service
  if (typeof port === 'number' && (port < 1 || port > 65535)) {
    causes.push(invalidValue(`${at}.port`, port, 'port is not valid: must be between 1 and 65535, inclusive'))
  }
  return typeof path === 'string' ? [...causes, ...pathCauses(path, `${at}.path`)] : causes
}

function pathCauses(path: string, at: string): Cause[] {
  if (path === '' || path === '/') return []
  const causes = path.startsWith('/') ? [] : [invalidValue(at, path, "must start with a '/'")]
  const segments = path.slice(1).split('/')
  const last = segments.length - 1
  for (const [i, segment] of segments.entries()) {
    if (segment === '' && (i !== last || last === 0)) {
      causes.push(invalidValue(at, path, `segment[${i}] may not be empty`))
    }
  }
  return causes
}

function versionCauses(versions: readonly Json[], at: string): Cause[] {
  if (versions.length === 0) return [required(at, 'must specify one of v1, v1beta1')]
  const twice = versions.findIndex((version, i) => versions.indexOf(version) !== i)
  if (twice !== -1) return [invalidValue(`${at}[${twice}]`, versions[twice], 'duplicate version')]
  const known = versions.includes('v1') || versions.includes('v1beta1')
  return known ? [] : [invalidValue(at, versions, 'must include at least one of v1, v1beta1')]
}

const qualified = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const qualifiedWords =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

function conditionCauses(conditions: readonly Json[], at: string): Cause[] {
  const seen = new Set<Json>()
  return conditions.flatMap((raw, i) => {
    const { name = '', expression = '' } = part(raw)
    const here = `${at}[${i}]`
    const causes = expressionCauses(expression, `${here}.expression`)
    if (name === '') causes.push(required(`${here}.name`))
    else if (seen.has(name)) causes.push(duplicate(`${here}.name`, name))
    else if (!qualified.test(String(name).split('/').at(-1) ?? '')) {
      causes.push(invalidValue(`${here}.name`, name, qualifiedWords))
    }
    seen.add(name)
    return causes
  })
}

function expressionCauses(expression: Json, at: string): Cause[] {
  if (typeof expression !== 'string' || expression.trim() === '') return [required(at)]
  const why = conditionError(expression)
  return why === undefined ? [] : [invalidValue(at, expression, why)]
}
