/**
 * Asks webhooks about a write.
 * Guarantees: mutating ones are asked one after another, by the name of their configuration and then in its order, and once more
 * those that want it when a later one has changed the object; validating ones are asked together, about what will be stored.
 * Without a webhook that wants to hear of it, a write does not wait at all.
 */
import { badRequest, internalError, type StatusDetails, StatusError } from '../http/status.ts'
import { CallFailure } from '../http/webhook-call.ts'
import { bytesOf, equalJson, isObject, type JsonObject, printJson, textOf } from '../json.ts'
import type { KindVersion } from '../kinds/kind.ts'
import { convert } from '../kinds/views.ts'
import type { KubeObject } from '../object.ts'
import { jsonPatch, PatchFailure } from '../patch/json.ts'
import type { Pending } from '../pending.ts'
import { uid } from '../random.ts'
import { isDryRun } from '../request/field-validation.ts'
import { conditionsHold } from './conditions.ts'
import { type Attributes, isExempt, wantedVersion } from './match.ts'
import { BadAnswer, reviewOf, type Verdict, verdictOf } from './review.ts'
import { addressOf, type Webhook, type WebhookKind, webhooks } from './webhook.ts'

interface Asked {
  readonly webhook: Webhook
  readonly version: KindVersion
}

function concerned(kind: WebhookKind, attributes: Attributes): readonly Asked[] {
  const all = webhooks(attributes.operation.backend, kind)
  if (all.length === 0 || isExempt(attributes)) return []
  return all.flatMap((webhook) => {
    const version = wantedVersion(webhook, attributes)
    return version ? [{ webhook, version }] : []
  })
}

/** The object as the mutating webhooks want it. `read` fills in what a changed object lacks. */
export function mutated(
  attributes: Attributes,
  read: (object: JsonObject) => KubeObject,
): Pending<KubeObject | undefined> {
  const asked = concerned('mutating', attributes)
  return asked.length === 0 ? attributes.object : mutateAll(attributes, asked, read)
}

async function mutateAll(attributes: Attributes, asked: readonly Asked[], read: (object: JsonObject) => KubeObject) {
  let state = attributes
  const again = new Set<Asked>()
  for (const [i, one] of asked.entries()) {
    const next = await mutate(one, state, read)
    if (next === state.object || equalJson(next, state.object)) continue
    // Those before it that want to see later changes.
    for (const earlier of asked.slice(0, i)) if (earlier.webhook.reinvoked) again.add(earlier)
    state = { ...state, object: next }
  }
  for (const one of asked) if (again.has(one)) state = { ...state, object: await mutate(one, state, read) }
  return state.object
}

async function mutate(
  asked: Asked,
  state: Attributes,
  read: (object: JsonObject) => KubeObject,
): Promise<KubeObject | undefined> {
  const verdict = await ask(asked, state, true)
  if (!verdict?.patch || verdict.patch.length === 0 || !state.object) return state.object
  const { kind, version } = state.operation
  const shown = convert(state.object, kind, asked.version)
  const patched = applied(shown, verdict.patch)
  if (equalJson(patched, shown)) return state.object
  return read(convert(patched as KubeObject, kind, version))
}

function applied(object: KubeObject, patch: Verdict['patch']): JsonObject {
  try {
    const result = jsonPatch(object, patch ?? [])
    if (isObject(result)) return result
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error
    throw internalError(error.message)
  }
  throw internalError('the patch leaves no object')
}

/** Throws the refusal of the first one that refuses. */
export function validated(attributes: Attributes): Pending<void> {
  const asked = concerned('validating', attributes)
  return asked.length === 0 ? undefined : validateAll(attributes, asked)
}

async function validateAll(attributes: Attributes, asked: readonly Asked[]): Promise<void> {
  const results = await Promise.allSettled(asked.map((one) => ask(one, attributes, false)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** Undefined when its answer does not count. Throws when it refuses, or when it must be heard and cannot. */
async function ask(
  { webhook, version }: Asked,
  attributes: Attributes,
  mutating: boolean,
): Promise<Verdict | undefined> {
  const { operation } = attributes
  if (!conditionsHold(webhook, attributes)) return undefined
  if (isDryRun(operation) && !/^None(OnDryRun)?$/.test(webhook.sideEffects)) throw unfitForDryRun(webhook)
  const id = uid(operation.backend.random)
  try {
    const body = await answerOf(webhook, attributes, bytesOf(printJson(reviewOf(id, attributes, version))))
    const verdict = verdictOf(body, id, mutating)
    operation.call.warnings.push(...verdict.warnings)
    if (!verdict.allowed) throw refusal(webhook.name, verdict.status)
    return verdict
  } catch (error) {
    if (!(error instanceof CallFailure || error instanceof BadAnswer)) throw error
    if (webhook.ignoresFailure) return undefined
    throw internalError(`failed calling webhook "${webhook.name}": ${error.message}`)
  }
}

const unfitForDryRun = ({ name }: Webhook) => badRequest(`admission webhook "${name}" does not support dry run`)

async function answerOf(webhook: Webhook, { operation }: Attributes, body: Uint8Array): Promise<Uint8Array> {
  const { backend, call } = operation
  const { seconds, client } = webhook
  try {
    const address = addressOf(backend, client, `?timeout=${seconds}s`)
    const wanted = { address, body, seconds, agent: 'kube-apiserver-admission', signal: call.signal }
    const answer = await backend.callWebhook(wanted)
    if (answer.status >= 200 && answer.status < 300) return answer.body
    throw new CallFailure(httpFailure(answer.status, answer.body))
  } catch (error) {
    throw error instanceof CallFailure ? new CallFailure(`failed to call webhook: ${error.message}`) : error
  }
}

/** As the client of the original words what it gets. */
function httpFailure(status: number, body: Uint8Array): string {
  if (status === 404) return 'the server could not find the requested resource'
  if (status === 401) return 'the server has asked for the client to provide credentials'
  if (status === 403) return 'forbidden'
  if (status === 503) return 'the server is currently unable to handle the request'
  const text = textOf(body).slice(0, 2048)
  return status >= 500
    ? `an error on the server (${printJson(text)}) has prevented the request from succeeding`
    : `the server rejected our request for an unknown reason`
}

function refusal(name: string, status: JsonObject): StatusError {
  const { code, reason, message, details } = status
  const because = [message, reason].find((words) => typeof words === 'string' && words !== '')
  const words =
    because === undefined ? 'denied the request without explanation' : `denied the request: ${String(because)}`
  const number = typeof code === 'number' && code >= 400 ? code : 400
  return new StatusError(
    number,
    typeof reason === 'string' && reason !== '' ? reason : undefined,
    `admission webhook "${name}" ${words}`,
    isObject(details) ? (details as StatusDetails) : undefined,
  )
}
