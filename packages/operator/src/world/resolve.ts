import {
  BinnacleError,
  isSpecific,
  type ResourceInfo,
  type ResourceLikes,
  selectResources,
  similarNames,
} from '@binnacle/core'
import type { DaemonHandler } from '../declare/daemon.ts'
import type { ChangeHandler, EventHandler } from '../declare/handler.ts'
import { nameOf } from '../declare/handler.ts'
import type { IndexDefinition } from '../declare/index-handler.ts'
import { duplicateId } from '../declare/registry.ts'
import { nameOfKind } from '../declare/served-kind.ts'
import type { TimerHandler } from '../declare/timer.ts'
import type { AwaitedKind } from '../report/health.ts'

/** All that was declared. */
export interface Declarations {
  readonly changes: readonly ChangeHandler[]
  readonly events: readonly EventHandler[]
  readonly background: readonly (DaemonHandler | TimerHandler)[]
  readonly indices: ReadonlyMap<string, IndexDefinition>
}

/** A kind that the server has, with what was declared on it. */
export interface ResolvedKind {
  readonly info: ResourceInfo
  readonly handlers: readonly ChangeHandler[]
  readonly events: readonly EventHandler[]
  readonly background: readonly (DaemonHandler | TimerHandler)[]
  readonly indices: ReadonlySet<IndexDefinition>
}

export interface Resolution {
  readonly kinds: readonly ResolvedKind[]
  readonly awaited: readonly AwaitedKind[]
  /** Whether a kind that comes or goes could make a difference: not if all that is declared names kinds of Kubernetes itself. */
  readonly open: boolean
}

type Declaration = { readonly resource: ResourceLikes }

/** One choice of resources, and who made it. */
interface Choice {
  readonly resource: ResourceLikes
  /** Ids of handlers, and names of indices. */
  readonly users: string[]
  /** Some of them write to objects. */
  writes: boolean
}

/**
 * What was declared, by the kinds that the server has. Pure.
 * Guarantees: one entry for each kind, whichever names it was declared under, in one version; what is not served, and what cannot be,
 * is told with who asked for it; two functions under one id on one kind, and two versions of one kind, are errors.
 */
export function resolveKinds(declared: Declarations, resources: readonly ResourceInfo[]): Resolution {
  const choices = choicesOf(declared)
  const outcomes = new Map([...choices.values()].map((choice) => [choice.resource, outcomeOf(choice, resources)]))
  const versions = namedVersions([...choices.values()], outcomes)
  const isOf = ({ resource }: Declaration, info: ResourceInfo) =>
    outcomes.get(resource)?.found.some((one) => nameOfKind(one) === nameOfKind(info)) ?? false
  const infos = new Map<string, ResourceInfo>()
  for (const { found } of outcomes.values()) {
    for (const info of found) infos.set(nameOfKind(info), versions.get(nameOfKind(info)) ?? info)
  }
  const kinds = [...infos.values()].map((info) => ({
    info,
    handlers: withoutNamesakes(declared.changes.filter((each) => isOf(each, info))),
    events: declared.events.filter((each) => isOf(each, info)),
    background: declared.background.filter((each) => isOf(each, info)),
    indices: new Set([...declared.indices.values()].filter((each) => isOf(each, info))),
  }))
  const awaited = [...outcomes.values()].flatMap((outcome) => outcome.awaited ?? [])
  return {
    kinds,
    awaited,
    open: [...choices.values()].some(({ resource }) => isOpen(resource, outcomes.get(resource))),
  }
}

function choicesOf(declared: Declarations): ReadonlyMap<ResourceLikes, Choice> {
  const choices = new Map<ResourceLikes, Choice>()
  const note = (resource: ResourceLikes, user: string, writes: boolean) => {
    const choice = choices.get(resource) ?? { resource, users: [], writes: false }
    choice.users.push(user)
    choice.writes ||= writes
    choices.set(resource, choice)
  }
  for (const { resource, id } of [...declared.changes, ...declared.background]) note(resource, `handler "${id}"`, true)
  for (const { resource, id } of declared.events) note(resource, `handler "${id}"`, false)
  for (const [name, { resource }] of declared.indices) note(resource, `index "${name}"`, false)
  return choices
}

interface Outcome {
  readonly found: readonly ResourceInfo[]
  readonly awaited?: AwaitedKind
}

function outcomeOf(choice: Choice, resources: readonly ResourceInfo[]): Outcome {
  const { resources: found, ambiguous } = selectResources(choice.resource, resources)
  const usable = found.filter((info) => missingVerbs(info, choice.writes).length === 0)
  if (usable.length > 0 || !isSpecific(choice.resource)) return { found: usable }
  const [refused] = found
  const awaited = { resource: nameOf(choice.resource), users: [...new Set(choice.users)] }
  if (ambiguous.length > 0) {
    const names = ambiguous.map(nameOfKind).join(', ')
    return { found: [], awaited: { ...awaited, why: 'ambiguous', hint: `It may be ${names}: name the group too.` } }
  }
  if (refused) {
    const verbs = missingVerbs(refused, choice.writes).join(', ')
    return {
      found: [],
      awaited: { ...awaited, why: 'not usable', hint: `The server offers no ${verbs} for ${nameOfKind(refused)}.` },
    }
  }
  return { found: [], awaited: { ...awaited, why: 'not served', hint: advice(choice.resource, resources) } }
}

function missingVerbs(info: ResourceInfo, writes: boolean): readonly string[] {
  const needed = ['list', 'watch', ...(writes && !isBeingRemoved(info) ? ['patch'] : [])]
  return needed.filter((verb) => !info.verbs.includes(verb))
}

/**
 * A server that removes a definition lists neither creation nor changes of its objects any more, but takes the changes all the same: it waits
 * until everybody has released them. An operator that left now would hold them, and the definition, for ever.
 */
function isBeingRemoved({ verbs }: ResourceInfo): boolean {
  return verbs.includes('deletecollection') && !verbs.some((verb) => ['create', 'update', 'patch'].includes(verb))
}

function advice(resource: ResourceLikes, resources: readonly ResourceInfo[]): string {
  const name = nameOf(resource)
  const others = resources.filter((info) => nameOfKind(info) === name).map(({ version }) => version)
  if (others.length > 0) return `The server has it in version ${others.join(', ')}: declare it in one of these.`
  const similar = similarNames(name, resources)
  const meant = similar.length > 0 ? ` Did you mean ${similar.join(', ')}?` : ''
  return `Install its CustomResourceDefinition, or correct the name; "kubectl api-resources" lists what there is.${meant}`
}

/** A choice that names a kind decides in which version it is watched; the wider ones follow. */
function namedVersions(
  choices: readonly Choice[],
  outcomes: ReadonlyMap<ResourceLikes, Outcome>,
): ReadonlyMap<string, ResourceInfo> {
  const named = new Map<string, ResourceInfo>()
  for (const { resource } of choices.filter((choice) => isSpecific(choice.resource))) {
    for (const info of outcomes.get(resource)?.found ?? []) {
      const other = named.get(nameOfKind(info))
      if (other && other.version !== info.version) throw twoVersions(info, other)
      named.set(nameOfKind(info), info)
    }
  }
  return named
}

function isOpen(resource: ResourceLikes, outcome: Outcome | undefined): boolean {
  if (!isSpecific(resource) || !outcome || outcome.found.length === 0) return true
  return outcome.found.some(({ group }) => group.includes('.') && !group.endsWith('.k8s.io'))
}

/** The registry knows kinds by the names that were written; only here is it known that two names are one kind. */
function withoutNamesakes(handlers: readonly ChangeHandler[]): readonly ChangeHandler[] {
  const functions = new Map<string, ChangeHandler['fn']>()
  for (const handler of handlers) {
    const { id, fn } = handler
    if ((functions.get(id) ?? fn) !== fn) throw duplicateId(handler)
    functions.set(id, fn)
  }
  return handlers
}

function twoVersions(info: ResourceInfo, other: ResourceInfo): BinnacleError {
  return new BinnacleError('BIN_DECLARATION', {
    message: `${nameOfKind(info)} is declared in two versions, ${other.version} and ${info.version}`,
    hint: 'The versions show the same objects, and an object has one state to be handled: declare all handlers on one version.',
  })
}
