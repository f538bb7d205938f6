/**
 * The way of a request: authenticate → authorize → route → verb → answer. Admission is part of the verbs that write.
 * Guarantees: every call is answered, whatever goes wrong; nothing but a StatusError decides about the answer's code.
 */
import { type Attributes, attributesOf } from '../access/attributes.ts'
import type { User } from '../access/user.ts'
import { readable } from '../conversion/conversion.ts'
import { endpoint } from '../http/endpoints.ts'
import { type Answer, bytesAnswer, type Call, jsonAnswer, textAnswer } from '../http/message.ts'
import { protobufType } from '../http/negotiate.ts'
import { encodeProtobuf } from '../http/protobuf-writer.ts'
import { apiPath, route } from '../http/router.ts'
import { AccessRefusal, internalError, PageNotFound, StatusError } from '../http/status.ts'
import { bytesOf } from '../json.ts'
import { tableId, type Verb } from '../kinds/kind.ts'
import { create } from '../verbs/create.ts'
import { remove, removeCollection } from '../verbs/delete.ts'
import { get } from '../verbs/get.ts'
import { list } from '../verbs/list.ts'
import { patch } from '../verbs/patch.ts'
import { podPart } from '../verbs/pod-parts.ts'
import { review } from '../verbs/review.ts'
import { tokenRequest } from '../verbs/token-request.ts'
import { update } from '../verbs/update.ts'
import { watch } from '../verbs/watch.ts'
import { yamlText } from '../yaml.ts'
import type { Backend, Operation } from './backend.ts'

export interface Handled {
  readonly verb: Verb
  /** Undefined: he was not let in. */
  readonly user: User | undefined
  readonly answer: Answer
}

/** Refusals that a part of the way wants told apart in the record carry the verb that was found by then. */
export async function handle(backend: Backend, call: Call): Promise<Handled> {
  let verb = plainVerb(call.method)
  let user: User | undefined
  try {
    const attributes = attributesOf(call.method, call.path, call.query)
    user = entering(backend, call, attributes)
    // Before anybody looks whether there is such a thing: who may not see it does not learn that either.
    backend.access.require(user, attributes)
    const special = endpoint(backend, call)
    if (special) return { verb, user, answer: special }
    const path = apiPath(call.path)
    if (!path) throw new PageNotFound()
    const operation: Operation = { ...route(backend.kinds, path, call.method, call.query), backend, call, user }
    verb = verbFor(operation)
    warnOfDeprecation(operation)
    const waiting = readable(operation)
    if (waiting) await waiting
    return { verb, user, answer: await answerOf(operation) }
  } catch (error) {
    call.signal.throwIfAborted()
    return { verb, user, answer: refusal(error, call) }
  }
}

function entering({ access }: Backend, call: Call, attributes: Attributes): User {
  const { peer, impersonation } = call
  return access.enter({ attributes, authorization: call.headers.get('authorization'), peer, impersonation })
}

function answerOf(operation: Operation): Answer | Promise<Answer> {
  return review(operation) ?? tokenRequest(operation) ?? podPart(operation) ?? verbs[operation.verb](operation)
}

/** Kinds that the original advises against, whatever is done with them. */
const deprecated: ReadonlyMap<string, string> = new Map([
  ['/endpoints', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
  ['/componentstatuses', 'v1 ComponentStatus is deprecated in v1.19+'],
])

function warnOfDeprecation({ kind, call }: Operation): void {
  const advice = kind.builtIn ? deprecated.get(tableId(kind)) : undefined
  if (advice !== undefined) call.warnings.push(advice)
}

const verbs: Readonly<Record<Verb, (operation: Operation) => Answer | Promise<Answer>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  // Server-side apply has its own verb in records; it arrives as a PATCH.
  apply: patch,
  delete: remove,
  deletecollection: removeCollection,
}

function verbFor({ verb, call }: Operation): Verb {
  return verb === 'patch' && call.headers.get('content-type')?.startsWith('application/apply-patch') ? 'apply' : verb
}

function plainVerb(method: string): Verb {
  const found = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const
  return Object.hasOwn(found, method) ? found[method as keyof typeof found] : 'get'
}

const isBinary = (call: Call) => new RegExp(`^${protobufType}(?!;as=)`).test(call.headers.get('accept') ?? '')

function refusal(error: unknown, call: Call): Answer {
  if (error instanceof PageNotFound) return textAnswer(404, '404 page not found\n')
  const status =
    error instanceof StatusError ? error : internalError(error instanceof Error ? error.message : String(error))
  const retry = status.details?.retryAfterSeconds
  const headers = {
    ...(retry === undefined ? {} : { 'retry-after': String(retry) }),
    ...(status instanceof AccessRefusal ? { 'x-content-type-options': 'nosniff' } : {}),
  }
  const binary = isBinary(call) ? encodeProtobuf(status.status()) : undefined
  if (binary) return bytesAnswer(status.code, protobufType, binary, headers)
  if (call.headers.get('accept') === 'application/yaml') {
    return bytesAnswer(status.code, 'application/yaml', bytesOf(yamlText(status.status())), headers)
  }
  return jsonAnswer(status.code, status.status(), headers)
}
