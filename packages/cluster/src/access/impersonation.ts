/**
 * Acting as somebody else, by the Impersonate headers.
 * Guarantees: the ways of the original 1.36, in its order: constrained impersonation (the verbs impersonate:MODE and
 * impersonate-on:MODE:VERB) for nodes, service accounts and other users, then the older verb impersonate. The way that last let a
 * user through is tried first. The refusal is that of the first way that was tried.
 */
import { badRequest, StatusError } from '../http/status.ts'
import { type Attributes, forbidden, quoted, resourceAttributes } from './attributes.ts'
import type { Authorizer } from './authorizer.ts'
import {
  accountGroups,
  accountOf,
  anonymousName,
  authenticatedGroup,
  mastersGroup,
  nodeOf,
  nodesGroup,
  type User,
  unauthenticatedGroup,
} from './user.ts'

/** Values of the headers, by their names in lower case. */
export type ImpersonationHeaders = ReadonlyMap<string, readonly string[]>

type Wanted = Required<User>

const extraPrefix = 'impersonate-extra-'
const authentication = 'authentication.k8s.io'
const nodeNameKey = 'authentication.kubernetes.io/node-name'

interface Mode {
  /** Undefined: the older way. */
  readonly constraint: string | undefined
  fits(wanted: Wanted, requestor: User): boolean
}

const nameOnly = ({ uid, groups, extra }: Wanted) => uid === '' && groups.length === 0 && extra.size === 0

const modes: readonly Mode[] = [
  {
    constraint: 'associated-node',
    fits: (wanted, requestor) =>
      nameOnly(wanted) &&
      accountOf(requestor.name) !== undefined &&
      nodeOf(wanted.name) !== undefined &&
      requestor.extra?.get(nodeNameKey)?.[0] === nodeOf(wanted.name),
  },
  { constraint: 'arbitrary-node', fits: (wanted) => nameOnly(wanted) && nodeOf(wanted.name) !== undefined },
  { constraint: 'serviceaccount', fits: (wanted) => nameOnly(wanted) && accountOf(wanted.name) !== undefined },
  {
    constraint: 'user-info',
    fits: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined,
  },
  { constraint: undefined, fits: () => true },
]

export class Impersonation {
  readonly #authorizer: Authorizer
  readonly #lastWay = new Map<string, Mode>()

  constructor(authorizer: Authorizer) {
    this.#authorizer = authorizer
  }

  /** The user to go on as. Throws the refusal when the requestor may not. */
  apply(requestor: User, headers: ImpersonationHeaders, attributes: Attributes): User {
    const wanted = wantedUser(headers)
    if (!wanted) return requestor
    const last = this.#lastWay.get(requestor.name)
    const ordered = last ? [last, ...modes.filter((mode) => mode !== last)] : modes
    let refused: StatusError | undefined
    for (const mode of ordered) {
      if (!mode.fits(wanted, requestor)) continue
      const found = this.#attempt(mode, wanted, requestor, attributes)
      if (!(found instanceof StatusError)) {
        this.#remember(requestor.name, mode)
        return found
      }
      refused ??= found
    }
    throw refused ?? badRequest('all impersonation modes failed')
  }

  #remember(name: string, mode: Mode): void {
    if (this.#lastWay.size >= 10_000) this.#lastWay.clear()
    this.#lastWay.set(name, mode)
  }

  #attempt({ constraint }: Mode, wanted: Wanted, requestor: User, attributes: Attributes): User | StatusError {
    try {
      if (constraint) this.#check(requestor, { ...attributes, verb: `impersonate-on:${constraint}:${attributes.verb}` })
      const verb = constraint ? `impersonate:${constraint}` : 'impersonate'
      const groups = this.#checkName(verb, constraint, wanted, requestor)
      const ask = (given: Partial<Attributes>) => this.#check(requestor, resourceAttributes({ verb, ...given }))
      if (wanted.uid !== '') ask({ group: authentication, resource: 'uids', name: wanted.uid })
      this.#checkGroups(verb, constraint, wanted, requestor)
      if (constraint) checkKeys(requestor, verb, wanted)
      for (const [key, values] of wanted.extra) {
        for (const name of values) ask({ group: authentication, resource: 'userextras', subresource: key, name })
      }
      return actualUser(wanted, groups)
    } catch (error) {
      if (error instanceof StatusError) return error
      throw error
    }
  }

  /** The groups that come with the name. */
  #checkName(verb: string, constraint: string | undefined, wanted: Wanted, requestor: User): readonly string[] {
    const group = constraint ? authentication : ''
    const account = accountOf(wanted.name)
    const node = constraint ? nodeOf(wanted.name) : undefined
    if (account) {
      this.#check(requestor, resourceAttributes({ verb, group, resource: 'serviceaccounts', ...account }))
      return wanted.groups.length === 0 ? accountGroups(account.namespace) : wanted.groups
    }
    if (node !== undefined) {
      const name = constraint === 'associated-node' ? '*' : node
      this.#check(requestor, resourceAttributes({ verb, group, resource: 'nodes', name }))
      return [nodesGroup]
    }
    this.#check(requestor, resourceAttributes({ verb, group, resource: 'users', name: wanted.name }))
    return wanted.groups
  }

  #checkGroups(verb: string, constraint: string | undefined, { groups }: Wanted, requestor: User): void {
    const about = (name: string) =>
      resourceAttributes({ verb, group: constraint ? authentication : '', resource: 'groups', name })
    if (constraint && groups.includes('')) {
      throw forbidden(requestor, about(''), 'impersonating the empty string group is not allowed')
    }
    if (constraint && groups.includes(mastersGroup)) {
      throw forbidden(requestor, about(mastersGroup), 'impersonating the system:masters group is not allowed')
    }
    for (const name of groups) this.#check(requestor, about(name))
  }

  #check(requestor: User, attributes: Attributes): void {
    const { allowed, reason } = this.#authorizer.authorize(requestor, attributes)
    if (!allowed) throw forbidden(requestor, attributes, reason)
  }
}

/** The older way took any key; the newer ones want those that say whose they are. */
function checkKeys(requestor: User, verb: string, { extra }: Wanted): void {
  const about = resourceAttributes({ verb, group: authentication, resource: 'userextras' })
  for (const [key, values] of extra) {
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/./.test(key)) {
      const why = `extra.key: Invalid value: ${quoted(key)}: must be a domain-prefixed path (such as "acme.io/foo")`
      throw forbidden(requestor, about, `impersonating an invalid key in extra is not allowed: ${why}`)
    }
    if (values.includes('')) {
      throw forbidden(requestor, about, 'impersonating the empty string value in extra is not allowed')
    }
  }
}

function actualUser({ name, uid, extra }: Wanted, groups: readonly string[]): User {
  const missing =
    name === anonymousName ? [unauthenticatedGroup] : groups.includes(unauthenticatedGroup) ? [] : [authenticatedGroup]
  return {
    name,
    groups: [...groups, ...missing.filter((group) => !groups.includes(group))],
    ...(uid === '' ? {} : { uid }),
    ...(extra.size === 0 ? {} : { extra }),
  }
}

/** Undefined when nobody is to be impersonated. */
function wantedUser(headers: ImpersonationHeaders): Wanted | undefined {
  const name = headers.get('impersonate-user')?.[0] ?? ''
  const uid = headers.get('impersonate-uid')?.[0] ?? ''
  const groups = headers.get('impersonate-group') ?? []
  const extra = new Map<string, readonly string[]>()
  for (const [header, values] of headers) {
    if (header.startsWith(extraPrefix)) extra.set(unescaped(header.slice(extraPrefix.length)), values)
  }
  const wanted = { name, uid, groups, extra }
  if (name !== '') return wanted
  if (nameOnly(wanted)) return undefined
  throw badRequest(`requested ${goText(wanted)} without impersonating a user name`)
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}

/** The original prints what it was given as Go prints a struct. */
function goText({ uid, groups, extra }: Wanted): string {
  const list = (items: readonly string[]) => `[]string{${items.map(quoted).join(', ')}}`
  const entries = [...extra]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${quoted(key)}:${list(values)}`)
  const more = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`
  const shown = groups.length === 0 ? '[]string(nil)' : list(groups)
  return `&user.DefaultInfo{Name:"", UID:${quoted(uid)}, Groups:${shown}, Extra:${more}}`
}
