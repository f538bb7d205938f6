/**
 * POST of a question to the server: may I, who am I, is this token good. Nothing is stored; the answer is the question with a status.
 * Guarantees: what is answered is what is enforced. Nothing is enforced here, so everything is allowed, and no token is known.
 */
import type { Answer } from '../http/message.ts'
import type { JsonObject } from '../json.ts'
import type { Operation } from '../request/backend.ts'
import { decodeObject } from '../request/decode.ts'
import { tracked } from '../request/managed-fields.ts'
import { valueAnswer } from './answer.ts'

const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }
const allowed = { allowed: true }

const statuses: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['SelfSubjectAccessReview', allowed],
  ['SubjectAccessReview', allowed],
  ['LocalSubjectAccessReview', allowed],
  [
    'SelfSubjectRulesReview',
    {
      resourceRules: [everything],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
    },
  ],
  ['SelfSubjectReview', { userInfo: { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] } }],
  ['TokenReview', { authenticated: false, user: {}, error: 'the embedded cluster knows no tokens' }],
])

/** Undefined when the request is about something that is stored. */
export function review(operation: Operation): Answer | undefined {
  const { kind } = operation
  const status = kind.builtIn && kind.group.startsWith('auth') ? statuses.get(kind.kind) : undefined
  if (status === undefined || operation.verb !== 'create') return undefined
  const asked = tracked(decodeObject(operation), undefined, operation)
  return valueAnswer(operation, 201, { ...asked, status })
}
