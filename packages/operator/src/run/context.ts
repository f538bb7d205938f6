import type { Client } from '@binnacle/client'
import { type Diff, diffWithin, type KubeObject, type Logger, type ResourceInfo, valueAt } from '@binnacle/core'
import type { Reason } from '../declare/context.ts'
import type { ChangeHandler, EventHandler, Handler } from '../declare/handler.ts'
import { type AdoptOptions, adopt, ownerReference } from '../declare/hierarchies.ts'
import type { EventRecorder } from '../report/recorder.ts'

const EMPTY = Object.freeze({})

/** The object and what surrounds it. */
export interface Surroundings {
  readonly resource: ResourceInfo
  readonly memo: object
  readonly shared: unknown
  readonly logger: Logger
  readonly events: EventRecorder
  /** By name; they win over everything else of the same name. */
  readonly indices: { readonly [name: string]: unknown }
}

/** The change that handlers are called for; `old` and `current` are essences. */
export interface Change {
  readonly reason: Reason
  readonly old: unknown
  readonly current: unknown
  readonly diff: Diff
}

/** An event as the watch brought it; null for what came with a listing. */
export interface WatchedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | null
  readonly object: KubeObject
}

export interface AttemptInfo {
  readonly retry: number
  readonly started: Date
  /** Seconds. */
  readonly runtime: number
  readonly signal: AbortSignal
}

export interface Means {
  readonly patch: object
  readonly client: Client
  readonly idempotencyKey: () => string
}

/** The object alone, as filters of state and indexing functions see it. Nothing is copied. */
export function objectView(body: KubeObject, { resource, memo, shared, logger, indices }: Surroundings): object {
  const { spec, status } = body as { spec?: object; status?: object }
  const { metadata } = body
  return {
    ...{ resource, memo, shared, logger },
    body,
    spec: spec ?? EMPTY,
    status: status ?? EMPTY,
    meta: metadata,
    uid: metadata.uid,
    name: metadata.name,
    namespace: metadata.namespace,
    labels: metadata.labels ?? EMPTY,
    annotations: metadata.annotations ?? EMPTY,
    ...indices,
  }
}

/** The object in a change, as filters see it: always the whole change. */
export function changeView(body: KubeObject, surroundings: Surroundings, change: Change): object {
  return { ...objectView(body, surroundings), ...sides(change), ...surroundings.indices }
}

/** The one argument of a change handler. With `field`, the change is cut to that field. */
export function changeContext(
  handler: ChangeHandler,
  body: KubeObject,
  surroundings: Surroundings,
  change: Change,
  attempt: AttemptInfo,
  means: Means,
  step: (id: string, ...args: readonly unknown[]) => unknown,
): object {
  const context = { ...objectView(body, surroundings), step, ...sidesFor(handler, change) }
  return acting(context, handler, body, attempt, means, surroundings)
}

/** The object in an event, as filters see it. */
export function eventView(event: WatchedEvent, surroundings: Surroundings): object {
  return { ...objectView(event.object, surroundings), type: event.type, event, ...surroundings.indices }
}

/** The one argument of an event handler. */
export function eventContext(
  handler: EventHandler,
  event: WatchedEvent,
  surroundings: Surroundings,
  attempt: AttemptInfo,
  means: Means,
): object {
  return acting(eventView(event, surroundings), handler, event.object, attempt, means, surroundings)
}

/** What is seen, with what all handlers can do about their object. A digest of the state is made for those only who ask for it. */
function acting(
  seen: object,
  { param }: Handler,
  body: KubeObject,
  attempt: AttemptInfo,
  { patch, client, idempotencyKey }: Means,
  { events, indices }: Surroundings,
): object {
  return {
    ...seen,
    events,
    ...attempt,
    patch,
    client,
    param,
    adopt: (child: object, options?: AdoptOptions) => adopt(child, body, options),
    ownerReference: ownerReference(body),
    get idempotencyKey() {
      return idempotencyKey()
    },
    ...indices,
  }
}

/** Both sides of a change, as the handler is told of them. */
export function sidesFor({ filters: { field } }: ChangeHandler, change: Change): object {
  return sides(field ? within(change, field) : change)
}

function sides({ reason, old, current, diff }: Change): object {
  return { reason, old, new: current, current, diff }
}

function within(change: Change, field: readonly string[]): Change {
  const { reason, old, current } = change
  return {
    reason,
    old: valueAt(old, field),
    current: valueAt(current, field),
    diff: diffWithin(old, current, field),
  }
}
