import type { KubeObject } from '@binnacle/core'
import type { ChangeHandler } from './declare/handler.ts'
import type { Identity } from './declare/identity.ts'
import { kindName } from './declare/served-kind.ts'
import { FLOOR_SECONDS, inconsistentFor, isBehind } from './gate/consistent.ts'
import type { IndexedGate } from './gate/indexed.ts'
import { eased, heldBack, oneMore } from './gate/tight-loop.ts'
import type { ObjectMemory } from './object-memory.ts'
import { type ApplyDeps, applyIntention, freshBody } from './outcome/apply.ts'
import { finalizerChange } from './outcome/finalizer.ts'
import { intentionOf } from './outcome/outcome.ts'
import { isEmptyChange, joined, NO_CHANGE } from './outcome/patch.ts'
import type { Intention } from './outcome/plan.ts'
import type { Progress } from './progress/progress.ts'
import { ProgressRecords } from './progress/records.ts'
import type { Storages } from './progress/storages.ts'
import type { RunDeps } from './run/attempt.ts'
import { type Look, lookAt, type SurroundingsOf } from './run/look.ts'
import { runHandlers } from './run/run-handlers.ts'
import { tellEvents } from './run/watch-events.ts'
import { inScope, mustBeHeld, selectHandlers } from './select/select.ts'
import type { Company, Spawner } from './spawn/spawner.ts'

export interface CycleDeps extends RunDeps {
  readonly identity: Identity
  readonly storages: Storages
  readonly gate: IndexedGate
  readonly spawner: Spawner
  readonly surroundings: (memory: ObjectMemory) => SurroundingsOf
  readonly apply: (memory: ObjectMemory) => ApplyDeps
  /** Of this run, and no other: what a former run has resumed is resumed anew. */
  readonly incarnation: string
  /** Seconds that an own write may take to come back through the watch. */
  readonly consistencyTimeout: number
  /** Aborted when even writes are given up. */
  readonly lastCall: AbortSignal
}

/** When to look at the object again. */
export type Next =
  | { readonly again: 'after'; readonly seconds: number }
  /** When something happens to it. */
  | { readonly again: 'on change' }
  /** When the indices that it has to wait for are filled. */
  | { readonly again: 'when indexed'; readonly opened: Promise<void> }
  /** Never: it is gone, and nothing is left to do about it. */
  | { readonly again: 'never' }

const ON_CHANGE: Next = { again: 'on change' }
const NEVER: Next = { again: 'never' }

/**
 * One look at one object, from its state to one patch: the table of contents of the operator.
 * Guarantees: decides by what the object itself carries, so that it may be interrupted anywhere and begun anew; what was finished is not
 * run again once its patch has arrived; what was not, is.
 * Assumes: indices and memory already have the state (they change in one step with the cache), and no other cycle of the object runs.
 */
export async function cycle(deps: CycleDeps, memory: ObjectMemory): Promise<Next> {
  const opened = deps.gate.closedTo(kindName(memory.kind), memory.body.metadata.namespace)
  if (opened) return { again: 'when indexed', opened }
  const { clock } = deps.runtime
  const own = isOwnDoing(memory)
  const wait = own ? heldBack(memory.loop, clock.monotonic()) : 0
  if (wait > 0) return { again: 'after', seconds: wait }
  const round = new Set<string>()
  const next = await look(deps, memory, round)
  if (!own) memory.loop = eased(memory.loop)
  else if (round.size > 0) memory.loop = oneMore(memory.loop, clock.monotonic(), [...round])
  return next
}

/** Whether the state of the object is the one that its own handlers have left. */
function isOwnDoing({ body, lastWrite }: ObjectMemory): boolean {
  return lastWrite !== undefined && body.metadata.resourceVersion === lastWrite
}

/** `round` gets those handlers whose work leads to the same work again, if it was their own work that led to it. */
async function look(deps: CycleDeps, memory: ObjectMemory, round: Set<string>): Promise<Next> {
  const surroundings = deps.surroundings(memory)
  if (memory.news.length > 0) await hearNews(deps, memory, surroundings, round)
  const stale = memory.exists ? inconsistentFor(memory.awaited, memory.body, deps.runtime.clock.monotonic()) : 0
  if (stale > 0) return { again: 'after', seconds: stale }
  if (memory.exists && isBehind(memory.awaited, memory.body) && !(await askServer(deps, memory))) return ON_CHANGE
  memory.awaited = undefined
  if (memory.outOfSight) return NEVER

  const seen = lookAt(memory, surroundings, deps.identity, deps.storages)
  if (seen.cause.reason === 'gone') return memory.released ? NEVER : mourn(deps, memory, seen)
  // The server answers a release that ends the object with the version before it, so the version does not tell that this state is older.
  if (memory.released && seen.held) return ON_CHANGE

  const { handlers } = memory.kind
  const company = deps.spawner.look(memory, seen.subject)
  const needed = mustBeHeld(handlers, seen.subject) || company.needed
  const mustHold = needed && !seen.held && !seen.deleting
  company.carryOut(!mustHold)
  if (mustHold) return write(deps, memory, seen, { change: NO_CHANGE, finalizer: 'hold' })
  if (!inScope(handlers, seen.subject)) return letGo(deps, memory, seen, needed, company)

  const selected = concerned(selectHandlers(handlers, seen.cause, seen.subject, memory.initial), seen)
  const records = recordsOf(deps, seen, selected)
  const change = await runHandlers(deps, seen, selected, records)
  if (leadsNowhere(records, deps.runtime.clock.now())) for (const id of records.attempted) round.add(id)
  // The object may be gone before this is written on it.
  if (seen.deleting) remember(memory, records)
  if (records.allFinished) memory.initial = false
  const ids = handlers.map(({ id }) => id)
  const condition = memory.kind.conditions ? `${deps.identity.prefix}/Handled` : undefined
  const now = deps.runtime.clock.now()
  const outcome = { ...seen, change, records, ids, needed, blocked: company.blocking, condition, now }
  const intention = intentionOf(outcome, deps.storages)
  const next = await write(deps, memory, seen, intention)
  return sooner(next, records.nextDue(deps.runtime.clock.now()))
}

async function hearNews(
  deps: CycleDeps,
  memory: ObjectMemory,
  surroundings: SurroundingsOf,
  round: Set<string>,
): Promise<void> {
  const { lastWrite, kind, news } = memory
  const change = await tellEvents(deps, kind.events, news, surroundings)
  if (!isEmptyChange(change) || memory.lastWrite !== lastWrite) for (const { id } of kind.events) round.add(id)
  memory.told = joined(memory.told, change)
}

/** Whether a cycle has brought its cause no nearer to an end: it has come to one, and may begin anew; or is to be repeated at once. */
function leadsNowhere(records: ProgressRecords, now: Date): boolean {
  return records.allFinished || (!records.advanced && records.nextDue(now) === 0)
}

/** A deletion that nothing of ours held back concerns optional handlers, and those of objects that the operator has handled before. */
function concerned(selected: readonly ChangeHandler[], { cause, known, held }: Look): readonly ChangeHandler[] {
  if (cause.reason !== 'free' && cause.reason !== 'gone') return selected
  return selected.filter(({ optional }) => optional || known || held)
}

function recordsOf(
  { storages, runtime, incarnation }: CycleDeps,
  { body, purpose }: Look,
  selected: readonly ChangeHandler[],
  stored = (id: string): Progress | undefined => storages.progress.fetch(id, body),
): ProgressRecords {
  const resuming = new Set(selected.filter(({ reason }) => reason === 'resume').map(({ id }) => id))
  const purposeOf = (id: string) =>
    resuming.has(id) ? { ...purpose, essence: `${purpose.essence}@${incarnation}` } : purpose
  const ids = selected.map(({ id }) => id)
  return new ProgressRecords(ids, stored, purposeOf, runtime.clock.now())
}

/** The object is gone: what delete handlers have not done yet is done with its last state, and retried from memory. */
async function mourn(deps: CycleDeps, memory: ObjectMemory, look: Look): Promise<Next> {
  const selected = concerned(selectHandlers(memory.kind.handlers, look.cause, look.subject), look)
  const stored = (id: string) => memory.afterlife?.get(id) ?? deps.storages.progress.fetch(id, look.body)
  const records = recordsOf(deps, look, selected, stored)
  await runHandlers(deps, look, selected, records)
  remember(memory, records)
  const due = records.nextDue(deps.runtime.clock.now())
  return due === undefined ? NEVER : { again: 'after', seconds: due }
}

function remember(memory: ObjectMemory, records: ProgressRecords): void {
  memory.afterlife ??= new Map()
  for (const [id, record] of records.entries()) memory.afterlife.set(id, record)
}

/**
 * No handler cares for its changes: if we hold it, and not for a daemon, we stop doing so, and otherwise leave no mark on it. Where a kind is only watched, a
 * finalizer of our name is none of our business: it may be another operator's.
 */
function letGo(deps: CycleDeps, memory: ObjectMemory, look: Look, needed: boolean, company: Company): Promise<Next> {
  const { held, deleting } = look
  const { handlers, background } = memory.kind
  const ours = handlers.length > 0 || background.length > 0
  const finalizer = ours ? finalizerChange({ needed, held, deleting, done: !company.blocking }) : 'leave'
  return write(deps, memory, look, { change: NO_CHANGE, finalizer })
}

async function write(deps: CycleDeps, memory: ObjectMemory, look: Look, intention: Intention): Promise<Next> {
  const change = joined(memory.told, intention.change)
  // Most looks find that all is done, such as the one at our own write when it comes back.
  if (intention.finalizer === 'leave' && isEmptyChange(change)) return ON_CHANGE
  const applied = await applyIntention(deps.apply(memory), look.body, { ...intention, change }, deps.lastCall)
  memory.told = NO_CHANGE
  if (intention.finalizer === 'release' && look.deleting) memory.released = true
  if (applied?.written) awaitEcho(deps, memory, applied.body)
  return ON_CHANGE
}

function awaitEcho({ runtime, consistencyTimeout }: CycleDeps, memory: ObjectMemory, { metadata }: KubeObject): void {
  const now = runtime.clock.monotonic()
  memory.lastWrite = metadata.resourceVersion
  memory.awaited = { version: metadata.resourceVersion, deadline: now + consistencyTimeout }
  memory.floor = { version: metadata.resourceVersion, until: now + FLOOR_SECONDS }
}

/**
 * The watch has been silent about our own write for too long: the object is read, so that no handler runs on a state from before it.
 * False when it is gone, which the watch will tell.
 */
async function askServer(deps: CycleDeps, memory: ObjectMemory): Promise<boolean> {
  const fresh = await freshBody(deps.apply(memory), memory.body, deps.lastCall)
  if (!fresh) return false
  memory.body = fresh
  memory.floor = {
    version: fresh.metadata.resourceVersion,
    until: deps.runtime.clock.monotonic() + FLOOR_SECONDS,
  }
  return true
}

function sooner(next: Next, seconds: number | undefined): Next {
  return seconds === undefined ? next : { again: 'after', seconds }
}
