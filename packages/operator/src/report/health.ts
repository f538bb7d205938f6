import type { Json } from '@binnacle/core'

/** A list that is not complete yet. */
export interface AwaitedList {
  readonly resource: string
  /** Absent where the list is of the whole cluster. */
  readonly namespace?: string
  /** Objects that have come so far. */
  readonly objects: number
  /** Of so many, where the server says it. */
  readonly of?: number
}

/** How far the gate is: for health, and for whoever wonders why no handler runs. */
export interface GateProgress {
  /** Everything that was there at the start is listed and indexed. */
  readonly open: boolean
  /** Lists of indexed kinds that are complete, of so many: one for each kind, or for each kind and namespace. */
  readonly listed: number
  readonly of: number
  /** Those that are not, also of kinds and namespaces that appeared later. */
  readonly awaited: readonly AwaitedList[]
}

/** `waiting`: it will try again soon; `failed`: likewise, but the server refuses, so that somebody has to do something first. */
export type WatchState = 'idle' | 'listing' | 'watching' | 'waiting' | 'failed' | 'stopped'

/** A resource that handlers or indices name, and that cannot be watched at present. */
export interface AwaitedKind {
  /** As it was declared. */
  readonly resource: string
  /** Nobody serves it; several groups have it; or the server offers no list, watch or patch for it. */
  readonly why: 'not served' | 'ambiguous' | 'not usable'
  /** Handlers and indices that name it. */
  readonly users: readonly string[]
  /** What to do about it. */
  readonly hint: string
}

/** One of the watches that the operator keeps for its own sake. `off`: it is not needed, or turned off. */
export interface ScanHealth {
  readonly state: WatchState | 'off'
  readonly error?: string
}

export interface ScopeHealth {
  readonly awaited: readonly AwaitedKind[]
  /** The watch of CustomResourceDefinitions. */
  readonly definitions: ScanHealth
  /** The watch of namespaces. */
  readonly namespaces: ScanHealth
}

/** The state of a running operator, as the health endpoint shows it. */
export interface Health {
  /** The operator does its work, or can get back to it by itself: a new process would be no better. */
  readonly live: boolean
  /** It has started, what it watches is fresh, and handlers may run. */
  readonly ready: boolean
  /** Everything was listed, and handlers were allowed to run, once. */
  readonly started: boolean
  /** Watching and handling is suspended, by `pause`. */
  readonly paused: boolean
  /** What is wrong, or at least remarkable, in words; empty when all is well. */
  readonly problems: readonly string[]
  readonly streams: readonly StreamHealth[]
  /** Handlers wait until every kind that an index reads is listed. */
  readonly gate: GateProgress
  /** What is declared and not there, and how that is found out. */
  readonly scope: ScopeHealth
  /** Objects that wait for a place, and that are looked at; how long the first of each has done so, in seconds. */
  readonly queue: {
    readonly waiting: number
    readonly running: number
    readonly limit: number
    readonly longestWait: number
    readonly longestCycle: number
    /** By kind, such as `kopfexamples.kopf.dev`. */
    readonly kinds: { readonly [kind: string]: { readonly waiting: number; readonly running: number } }
  }
  /** Daemons and timers: at work, asked to stop, and given up although they have not ended. */
  readonly background: { readonly running: number; readonly stopping: number; readonly abandoned: number }
  /** Threads of worker handlers: at work, at rest, of so many at the most, and the calls that wait for one. */
  readonly workers: { readonly limit: number; readonly busy: number; readonly idle: number; readonly waiting: number }
  /** Objects whose handlers answer their own writes without end: they are handled more and more seldom. */
  readonly slowed: readonly SlowedObject[]
  readonly tasks: readonly { readonly name: string; readonly restarts: number; readonly error?: string }[]
  /** What the probe handlers said last, by their ids. */
  readonly probes: { readonly [id: string]: Json }
}

export interface StreamHealth {
  readonly resource: string
  readonly namespace?: string
  /** What the server leaves out, because no handler and no index wants it. */
  readonly filter?: string
  readonly state: WatchState
  readonly staleSeconds: number
  /** Objects in the cache. */
  readonly objects: number
  /** Whether their bodies are kept, or only what indices hold of them: the case where nothing but indices reads the kind. */
  readonly cache: 'mirrored' | 'indexed only'
  /** About how much of the heap the cache keeps for each of them, from a sample; without what indices hold. */
  readonly bytesPerObject?: number
  readonly error?: string
}

/** An object whose handlers answer their own writes without end. */
export interface SlowedObject {
  readonly object: string
  readonly handlers: readonly string[]
  /** Between two rounds. */
  readonly waitSeconds: number
}

/** What a verdict is made from. */
export interface HealthFacts extends Omit<Health, 'live' | 'ready' | 'problems'> {
  readonly stopped: boolean
  /** The operator cannot go on, and why. */
  readonly failure: string | undefined
  /** Probe handlers that have failed, with what they said. */
  readonly failedProbes: ReadonlyMap<string, string>
  /** Seconds of silence after which a stream is not to be relied upon. */
  readonly staleAfter: number
}

/** So many times the silence that makes a stream unreliable, and nobody has mended it: then our own machinery is at fault. */
const STUCK = 5
/** Seconds that an object may wait for a place before it is remarkable. */
const LONG_WAIT = 60

/**
 * What the facts mean. Pure.
 * Not live is only what a new process would mend: the operator has failed or stopped, a stream is neither fresh nor being mended, a probe says so.
 * A server that cannot be reached makes it not ready: a new process would find the same. A kind that may not be watched, or is not there, keeps the
 * others from nothing: it is told as a problem.
 */
export function judgedHealth(facts: HealthFacts): Health {
  const { stopped, failure, failedProbes, staleAfter, ...shown } = facts
  const { started, paused, streams, gate } = facts
  // Where the server refuses, there is nothing to be heard: somebody has to grant a right, and the rest goes on without it.
  const broken = paused ? [] : streams.filter(({ state }) => state === 'failed')
  const others = paused ? [] : streams.filter(({ state }) => state !== 'failed')
  const stale = others.filter(({ staleSeconds }) => staleSeconds > staleAfter)
  const stuck = stale.filter(({ state, staleSeconds }) => state === 'watching' && staleSeconds > STUCK * staleAfter)
  const live = !stopped && failure === undefined && stuck.length === 0 && failedProbes.size === 0
  const ready = live && started && stale.length === 0 && (gate.open || paused)
  return { live, ready, ...shown, problems: problemsOf(facts, stale, broken) }
}

function problemsOf(
  { stopped, failure, started, paused, gate, scope, queue, slowed, background, failedProbes }: HealthFacts,
  stale: readonly StreamHealth[],
  broken: readonly StreamHealth[],
): readonly string[] {
  return [
    ...(failure === undefined ? [] : [`The operator has failed: ${failure}`]),
    ...(stopped ? ['The operator has stopped, or is about to.'] : []),
    ...(started || stopped ? [] : ['The operator is starting.']),
    ...(paused ? ['The operator is paused.'] : []),
    ...(gate.open || paused ? [] : [`Handlers wait until these are listed: ${gate.awaited.map(nameOf).join(', ')}.`]),
    ...scope.awaited.map(({ resource, why, users, hint }) => `${resource} is ${why} (${users.join(', ')}). ${hint}`),
    ...[...failedProbes].map(([id, error]) => `Probe "${id}" failed: ${error}`),
    ...stale.map(
      (stream) => `Nothing was heard of ${nameOf(stream)} for ${round(stream.staleSeconds)} s${because(stream)}`,
    ),
    ...broken.map((stream) => `${nameOf(stream)} cannot be watched${because(stream)}`),
    ...(queue.longestWait > LONG_WAIT && !paused
      ? [
          `${queue.waiting} objects wait, the first for ${round(queue.longestWait)} s, while ${queue.running} are handled (limit ${queue.limit}): see queueing.workerLimit.`,
        ]
      : []),
    ...slowed.map(
      ({ object, handlers, waitSeconds }) =>
        `${object} is handled because of what its own ${handlers.join(', ')} wrote, and waits ${waitSeconds} s each time.`,
    ),
    ...(background.abandoned > 0 ? [`${background.abandoned} daemons or timers were given up, and still run.`] : []),
  ]
}

function nameOf({ resource, namespace }: Pick<StreamHealth, 'resource' | 'namespace'>): string {
  return namespace === undefined ? resource : `${resource} in namespace ${namespace}`
}

function because({ error }: StreamHealth): string {
  return error === undefined ? '.' : `: ${error}`
}

function round(seconds: number): number {
  return Math.round(seconds)
}
