/**
 * POST of a question to the server: may I, who am I, is this token good. Nothing is stored; the answer is the question with a status.
 * Guarantees: what is answered is what is enforced: the same authorizer and the same authenticator are asked.
 */
import { type Attributes, pathAttributes, resourceAttributes } from '../access/attributes.ts'
import { aggregated } from '../access/rbac.ts'
import { issuer, TokenRefused } from '../access/service-account-token.ts'
import { type User, userInfo } from '../access/user.ts'
import { timestamp } from '../clock.ts'
import { invalidValue } from '../http/field-error.ts'
import type { Answer } from '../http/message.ts'
import { badRequest, type Cause, invalid } from '../http/status.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { field, type KubeObject } from '../object.ts'
import type { Operation } from '../request/backend.ts'
import { decodeObject } from '../request/decode.ts'
import { tracked } from '../request/managed-fields.ts'
import { inNamespace } from '../request/prepare.ts'
import { valueAnswer } from './answer.ts'

type Review = (operation: Operation, asked: KubeObject) => JsonObject

const reviews: ReadonlyMap<string, Review> = new Map<string, Review>([
  [
    'SelfSubjectAccessReview',
    (operation, asked) => withStatus(operation, asked, decision(operation, asked, operation.user)),
  ],
  ['SubjectAccessReview', (operation, asked) => withStatus(operation, asked, subjectDecision(operation, asked))],
  [
    'LocalSubjectAccessReview',
    (operation, asked) => withStatus(operation, inNamespace(asked, operation), localDecision(operation, asked)),
  ],
  ['SelfSubjectRulesReview', rules],
  ['SelfSubjectReview', whoami],
  ['TokenReview', (operation, asked) => withStatus(operation, asked, tokenStatus(operation, asked))],
])

/** Undefined when the request is about something that is stored. */
export function review(operation: Operation): Answer | undefined {
  const { kind } = operation
  const answer = kind.builtIn && kind.group.startsWith('auth') ? reviews.get(kind.kind) : undefined
  if (answer === undefined || operation.verb !== 'create') return undefined
  return valueAnswer(operation, 201, answer(operation, decodeObject(operation)))
}

const withStatus = (operation: Operation, asked: KubeObject, status: JsonObject): JsonObject => ({
  ...tracked(asked, undefined, operation),
  status,
})

/** Questions of nobody in particular name no kind in the refusal, as in the original. */
const refuse = (operation: Operation, causes: readonly Cause[]) =>
  invalid({ group: operation.kind.group, kind: '' }, '', causes)

function decision(operation: Operation, asked: KubeObject, user: User): JsonObject {
  const { allowed, reason } = operation.backend.access.authorizer.authorize(user, wantedIn(operation, asked))
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function wantedIn(operation: Operation, { spec }: KubeObject): Attributes {
  const resource = field(spec, 'resourceAttributes')
  const path = field(spec, 'nonResourceAttributes')
  if (isObject(resource) && isObject(path)) {
    const why = 'cannot be specified in combination with resourceAttributes'
    throw refuse(operation, [invalidValue('spec.nonResourceAttributes', goPath(path), why)])
  }
  if (isObject(path)) return pathAttributes(text(path.verb), text(path.path))
  if (!isObject(resource)) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw refuse(operation, [invalidValue('spec.resourceAttributes', null, why)])
  }
  const { verb, group, subresource, namespace, name } = resource
  return resourceAttributes({
    ...{ verb: text(verb), group: text(group), resource: text(resource.resource) },
    ...{ subresource: text(subresource), namespace: text(namespace), name: text(name) },
  })
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')
const texts = (value: Json | undefined) =>
  Array.isArray(value) ? value.filter((item: Json) => typeof item === 'string') : []
const goPath = ({ path, verb }: JsonObject): Json => ({ Path: text(path), Verb: text(verb) })

function subjectDecision(operation: Operation, asked: KubeObject): JsonObject {
  const { spec } = asked
  const [name, groups] = [text(field(spec, 'user')), texts(field(spec, 'groups'))]
  if (name === '' && groups.length === 0) {
    throw refuse(operation, [invalidValue('spec.user', '', 'at least one of user or group must be specified')])
  }
  return decision(operation, asked, { name, groups })
}

function localDecision(operation: Operation, asked: KubeObject): JsonObject {
  const path = field(asked.spec, 'nonResourceAttributes')
  if (isObject(path)) {
    throw refuse(operation, [
      invalidValue('spec.nonResourceAttributes', goPath(path), 'disallowed on this kind of request'),
    ])
  }
  const namespace = text(field(field(asked.spec, 'resourceAttributes'), 'namespace'))
  if (namespace !== operation.namespace) {
    const why = 'must match metadata.namespace'
    throw refuse(operation, [invalidValue('spec.resourceAttributes.namespace', namespace, why)])
  }
  return subjectDecision(operation, asked)
}

function rules({ backend, user }: Operation, asked: KubeObject): JsonObject {
  const namespace = text(field(asked.spec, 'namespace'))
  if (namespace === '') throw badRequest('no namespace on request')
  const found = backend.access.authorizer.rulesFor(user, namespace)
  const named = (items: readonly string[]) => (items.length === 0 ? {} : { resourceNames: items })
  const { kind, apiVersion } = asked
  return {
    kind,
    apiVersion,
    metadata: {},
    spec: {},
    status: {
      resourceRules: found.rules
        .filter(({ resources }) => resources.length > 0)
        .map(({ verbs, apiGroups, resources, resourceNames }) => ({
          ...{ verbs, apiGroups, resources },
          ...named(resourceNames),
        })),
      nonResourceRules: found.rules
        .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: false,
      ...(found.problems.length === 0 ? {} : { evaluationError: aggregated(found.problems) }),
    },
  }
}

function whoami({ backend, user }: Operation, { kind, apiVersion }: KubeObject): JsonObject {
  const metadata = { creationTimestamp: timestamp(backend.clock.now()) }
  return { kind, apiVersion, metadata, status: { userInfo: userInfo(user) } }
}

function tokenStatus({ backend }: Operation, { spec }: KubeObject): JsonObject {
  const token = text(field(spec, 'token'))
  if (token === '') throw badRequest('token is required for TokenReview in authentication')
  const audiences = texts(field(spec, 'audiences'))
  try {
    const found = backend.access.review(token, audiences.length === 0 ? [issuer] : audiences)
    return { authenticated: true, user: userInfo(found.user), audiences: found.audiences }
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error
    return { user: {}, error: error.message }
  }
}
