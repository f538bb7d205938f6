import { APIError, ForbiddenError, messageOf, type ResourceInfo } from '@binnacle/core'
import { isHandled, nameOfKind, type ServedKind, servesStatus } from '../declare/served-kind.ts'

/** What the server says to a list or a watch, as far as it decides what to do about it. */
export type Refusal =
  /** We may not. */
  | 'forbidden'
  /** It does not serve the kind. */
  | 'not served'
  /** It does not understand the question. */
  | 'not understood'
  /** Anything else: it will pass. */
  | 'passing'

export function refusalOf(error: unknown): Refusal {
  if (error instanceof ForbiddenError) return 'forbidden'
  if (!(error instanceof APIError)) return 'passing'
  if (error.code === 404 || error.code === 405) return 'not served'
  return error.code === 400 || error.code === 422 ? 'not understood' : 'passing'
}

/** The rules that an operator needs for what it does with a kind. */
export function rulesFor(kind: ServedKind): string {
  const writes = kind.handlers.length > 0 || kind.background.length > 0 || kind.events.length > 0
  const verbs = ['list', 'watch', ...(isHandled(kind) ? ['get'] : []), ...(writes ? ['patch'] : [])]
  const status = writes && servesStatus(kind) ? `\n${rule(kind.info, ['patch'], 'status')}` : ''
  return `${rule(kind.info, verbs)}${status}`
}

function rule(
  { group, plural }: Pick<ResourceInfo, 'group' | 'plural'>,
  verbs: readonly string[],
  part?: string,
): string {
  const what = part === undefined ? plural : `${plural}/${part}`
  return `  - { apiGroups: ["${group}"], resources: ["${what}"], verbs: [${verbs.map((verb) => `"${verb}"`).join(', ')}] }`
}

/** Said once for each stream that the server refuses. */
export function forbidden(kind: ServedKind, namespace: string, error: unknown): string {
  const where = namespace === '*' ? 'in the whole cluster' : `in namespace "${namespace}"`
  const role = namespace === '*' ? 'a ClusterRole' : `a Role in namespace "${namespace}" (or a ClusterRole)`
  return [
    `The operator may not list or watch ${nameOfKind(kind.info)} ${where}; the rest goes on, and it is tried again from time to time.`,
    `The server says: ${messageOf(error)}`,
    `Add this to ${role} that is bound to the operator:`,
    rulesFor(kind),
  ].join('\n')
}

/** The same for what the operator watches for its own sake. */
export function forbiddenScan(
  resource: Pick<ResourceInfo, 'group' | 'plural'>,
  consequence: string,
  error: unknown,
): string {
  return [
    `The operator may not list or watch ${nameOfKind(resource)}: ${consequence}`,
    `The server says: ${messageOf(error)}`,
    'Add this to a ClusterRole that is bound to the operator, or turn it off with the setting scanning.disabled:',
    rule(resource, ['list', 'watch']),
  ].join('\n')
}
