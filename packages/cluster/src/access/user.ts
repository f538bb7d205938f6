/** Who asks, as the original describes a user: a name, groups, and what else is known of him. */
import type { JsonObject } from '../json.ts'

export interface User {
  readonly name: string
  readonly groups: readonly string[]
  readonly uid?: string
  readonly extra?: ReadonlyMap<string, readonly string[]>
}

export const anonymousName = 'system:anonymous'
export const unauthenticatedGroup = 'system:unauthenticated'
export const authenticatedGroup = 'system:authenticated'
export const mastersGroup = 'system:masters'
export const nodesGroup = 'system:nodes'

export const anonymous: User = { name: anonymousName, groups: [unauthenticatedGroup] }

/** Whoever holds the cluster itself: the in-process transport, and everybody where nobody is asked. */
export const administrator: User = { name: 'system:admin', groups: [mastersGroup, authenticatedGroup] }

/** Somebody whose credentials were good is in the group of all such. */
export function authenticated(user: User): User {
  const group = user.name === anonymousName ? unauthenticatedGroup : authenticatedGroup
  return user.groups.includes(group) ? user : { ...user, groups: [...user.groups, group] }
}

export interface ServiceAccountName {
  readonly namespace: string
  readonly name: string
}

const accountPrefix = 'system:serviceaccount:'
const nodePrefix = 'system:node:'

export const accountUserName = ({ namespace, name }: ServiceAccountName) => `${accountPrefix}${namespace}:${name}`

export const accountGroups = (namespace: string) => ['system:serviceaccounts', `system:serviceaccounts:${namespace}`]

/** The account behind a user's name; undefined when it is no account's. */
export function accountOf(userName: string): ServiceAccountName | undefined {
  if (!userName.startsWith(accountPrefix)) return undefined
  const [namespace = '', name = '', ...rest] = userName.slice(accountPrefix.length).split(':')
  return namespace === '' || name === '' || rest.length > 0 ? undefined : { namespace, name }
}

/** The node behind a user's name; undefined when it is no node's. */
export function nodeOf(userName: string): string | undefined {
  return userName.startsWith(nodePrefix) && userName.length > nodePrefix.length
    ? userName.slice(nodePrefix.length)
    : undefined
}

/** As reviews and admission requests show a user. */
export function userInfo({ name, uid, groups, extra }: User): JsonObject {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || extra.size === 0
      ? {}
      : { extra: Object.fromEntries([...extra].sort(([a], [b]) => (a < b ? -1 : 1))) }),
  }
}
