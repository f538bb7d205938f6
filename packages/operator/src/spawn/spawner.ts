import { formatObjectName, objectName } from '@binnacle/core'
import type { StopWhy } from '../declare/stopped.ts'
import type { ObjectMemory } from '../object-memory.ts'
import { type Subject, stateMismatch } from '../select/match.ts'
import type { AlarmClock } from './alarm-clock.ts'
import type { AttemptDeps, Companion, SpawnHandler } from './attempt.ts'
import { CompanionRun, type End } from './companion-run.ts'
import { EssentialChanges } from './essential-changes.ts'
import { News } from './news.ts'
import { holds, isAtWork, orderFor, type Presence, type Standing } from './spawning.ts'
import { StopControl } from './stop-control.ts'
import { Stopper } from './stopper.ts'
import { nameOfCompanion } from './tell.ts'

export interface SpawnerDeps extends Omit<AttemptDeps, 'delivering'> {
  /** Has the object looked at. */
  readonly wake: (uid: string) => void
  /** Seconds between two lines about a daemon that does not end. */
  readonly cancellationPolling: number
}

/** What a cycle must know of those who accompany its object. */
export interface Company {
  /** The object is to be held for them. */
  readonly needed: boolean
  /** Some of them are at work and hold the object. Live. */
  readonly blocking: boolean
  /** Stops those who should not run, and, if allowed, starts those who should. */
  carryOut(mayStart: boolean): void
}

/** The figures of all daemons and timers. */
export interface BackgroundFigures {
  readonly running: number
  readonly stopping: number
  /** Given up, and still running somewhere. */
  readonly abandoned: number
}

interface Run extends Companion {
  /** From the moment when it is asked to stop. */
  stopper: Stopper | undefined
}

/** Those who accompany one object: a handful, for each of thousands of objects, so that lists are both smaller and faster than Maps. */
interface Companions {
  readonly memory: ObjectMemory
  /** One for each id at the most. */
  runs: readonly Run[]
  /** Those who have ended and are not to run again, by id. */
  ended: Map<string, 'done' | 'failed'> | undefined
  /** Only where a timer asks for it. */
  readonly changes: EssentialChanges | undefined
}

const NOBODY: Company = { needed: false, blocking: false, carryOut: () => {} }

/**
 * Starts and stops the daemons and timers of all objects.
 * Guarantees: one run for each object and id; a deletion, seen or inferred, stops them in the step in which it is noticed, whatever its
 * timestamps say; the end of a run has its object looked at; after `abandonAll` nothing that still runs is waited for.
 * Assumes: `look` is called from the object's cycle only.
 */
export class Spawner {
  readonly #alarms: AlarmClock
  readonly #deps: AttemptDeps & SpawnerDeps
  readonly #objects = new Map<string, Companions>()
  readonly #running = new Set<Run>()
  #delivering = 0
  #open = true

  constructor(deps: SpawnerDeps) {
    this.#alarms = deps.alarms
    this.#deps = {
      ...deps,
      delivering: (begun) => {
        this.#delivering += begun ? 1 : -1
      },
    }
  }

  get figures(): BackgroundFigures {
    const stages = Array.from(this.#running, ({ control }) => standingOf(control))
    const count = (standing: Standing) => stages.filter((each) => each === standing).length
    return { running: count('running'), stopping: count('stopping'), abandoned: count('abandoned') }
  }

  /** Objects that have, or have had, company. */
  get size(): number {
    return this.#objects.size
  }

  /** What is going on and will end by itself, in words. */
  get busy(): readonly string[] {
    return this.#delivering > 0 ? ['daemons and timers write'] : []
  }

  /** A change of the object, in the step in which the cache has it. */
  notice(memory: ObjectMemory): void {
    const companions = this.#objects.get(memory.uid)
    if (!companions) return
    companions.changes?.notice(memory.body, this.#alarms.now())
    for (const { news } of companions.runs) news?.tell()
    if (!memory.exists || isDeleting(memory))
      this.#stopAll(companions, memory.outOfSight ? 'filters-mismatch' : 'resource-deleted')
    this.#forgetIfGone(companions)
  }

  /** Who accompanies the object, and who should. */
  look(memory: ObjectMemory, subject: Subject): Company {
    const { background } = memory.kind
    if (background.length === 0) return NOBODY
    const companions = this.#objects.get(memory.uid)
    const presence: Presence = {
      exists: memory.exists,
      deleting: isDeleting(memory),
      matches: ({ filters }) => !stateMismatch(filters, subject),
    }
    const orders = background.map((handler) => {
      const standing = standingIn(companions, handler)
      return { handler, standing, order: orderFor(handler, standing, presence) }
    })
    const blocking = () => background.some((each) => each.finalizer && isAtWork(standingIn(this.#of(memory), each)))
    return {
      needed: orders.some(({ handler, standing, order }) => holds(handler, standing, order)),
      get blocking() {
        return blocking()
      },
      carryOut: (mayStart) => {
        for (const { handler, order } of orders) {
          if (order.order === 'stop') this.#stop(runOf(this.#of(memory), handler.id), order.why)
          if (order.order === 'forget') this.#of(memory)?.ended?.delete(handler.id)
          if (order.order === 'start' && mayStart) this.#start(memory, handler)
        }
      },
    }
  }

  /** Nobody starts any more, and all are asked to stop. */
  close(why: StopWhy): void {
    this.#open = false
    for (const run of this.#running) this.#stop(run, why)
  }

  /** After `close`: those who should run start anew, when their objects are looked at. */
  reopen(): void {
    this.#open = true
  }

  /** Resolves when nobody runs who is not given up. */
  async drain(): Promise<void> {
    while (this.#isWaitedFor()) await new Promise<void>((resolve) => this.#whenFewer.push(resolve))
  }
  /** Called when somebody has ended, or was given up. */
  readonly #whenFewer: (() => void)[] = []

  #isWaitedFor(): boolean {
    for (const { control } of this.#running) if (control.stage !== 'abandoned') return true
    return false
  }

  /** By force, whatever they were promised: the operator can wait no longer. */
  cancelAll(): void {
    for (const { control } of this.#running) control.cancel()
  }

  /** Those who have not even heeded force are left to themselves. */
  abandonAll(): void {
    for (const run of this.#running) {
      run.stopper?.end()
      if (run.control.stage !== 'abandoned') this.#abandon(run, this.#alarms.now() - run.control.since)
    }
  }

  #of({ uid }: ObjectMemory): Companions | undefined {
    return this.#objects.get(uid)
  }

  #start(memory: ObjectMemory, handler: SpawnHandler): void {
    if (!this.#open) return
    const companions = this.#of(memory) ?? this.#meet(memory)
    const control = new StopControl(this.#alarms)
    const run: Run = { handler, memory, control, stopper: undefined, ...(handler.fn.module && { news: new News() }) }
    companions.runs = [...companions.runs, run]
    this.#logger('debug', run)?.debug(`${nameOfCompanion(run)} is started.`)
    this.#running.add(run)
    const changes = handler.activity === 'timer' ? companions.changes : undefined
    const begun = new CompanionRun(this.#deps, run, changes, (end) => this.#ended(companions, run, end))
    // The cycle that starts it goes on first.
    queueMicrotask(() => begun.begin())
  }

  #meet(memory: ObjectMemory): Companions {
    const { body, kind } = memory
    const idles = kind.background.some((handler) => handler.activity === 'timer' && handler.idle !== undefined)
    const companions: Companions = {
      memory,
      runs: [],
      ended: undefined,
      changes: idles ? new EssentialChanges(body, kind.tracked, this.#alarms.now()) : undefined,
    }
    this.#objects.set(memory.uid, companions)
    return companions
  }

  #ended(companions: Companions, run: Run, end: End): void {
    run.stopper?.end()
    run.control.stop('done')
    this.#running.delete(run)
    this.#fewer()
    companions.runs = companions.runs.filter((each) => each !== run)
    if (end !== 'stopped') companions.ended = (companions.ended ?? new Map()).set(run.handler.id, end)
    if (end === 'done') this.#logger('debug', run)?.debug(`${nameOfCompanion(run)} has ended by itself.`)
    this.#forgetIfGone(companions)
    this.#deps.wake(run.memory.uid)
  }

  #stopAll({ runs }: Companions, why: StopWhy): void {
    for (const run of runs) this.#stop(run, why)
  }

  #stop(run: Run | undefined, why: StopWhy): void {
    if (!run || run.control.isStopped) return
    run.control.stop(why)
    run.stopper = this.#stopperOf(run)
    run.stopper.begin()
  }

  #stopperOf(run: Run): Stopper {
    const limits = limitsOf(run.handler, this.#deps.cancellationPolling)
    return new Stopper(run.control, this.#alarms, limits, {
      waiting: (age) => this.#warn(run, `has not ended ${round(age)} s after it was asked to stop`),
      abandoned: (age) => this.#abandon(run, age),
    })
  }

  #abandon(run: Run, age: number): void {
    run.control.abandon()
    this.#warn(
      run,
      `has not ended ${round(age)} s after it was asked to stop, and ${run.handler.fn.module ? 'its thread is terminated' : 'is left to itself'}; it may leak what it holds`,
    )
    this.#forgetIfGone(this.#of(run.memory))
    this.#fewer()
    this.#deps.wake(run.memory.uid)
  }

  #fewer(): void {
    for (const resolve of this.#whenFewer.splice(0)) resolve()
  }

  /** An object that is gone is forgotten when the last of its companions has ended, or was given up. */
  #forgetIfGone(companions: Companions | undefined): void {
    if (!companions || companions.memory.exists) return
    const left = companions.runs.some(({ control }) => isAtWork(standingOf(control)))
    if (!left) this.#objects.delete(companions.memory.uid)
  }

  #warn(run: Run, what: string): void {
    const { body } = run.memory
    const object = `${body.kind} ${formatObjectName(objectName(body))}`
    this.#logger('warn', run)?.warn(`${nameOfCompanion(run)} of ${object} ${what} (${run.control.why}).`)
  }

  #logger(level: 'debug' | 'warn', { memory }: Run) {
    return this.#deps.loggerAt(level, memory, undefined)
  }
}

function standingIn(companions: Companions | undefined, { id }: SpawnHandler): Standing {
  const run = runOf(companions, id)
  return run ? standingOf(run.control) : (companions?.ended?.get(id) ?? 'absent')
}

function runOf(companions: Companions | undefined, id: string): Run | undefined {
  return companions?.runs.find(({ handler }) => handler.id === id)
}

function standingOf({ stage }: StopControl): Standing {
  if (stage === undefined) return 'running'
  return stage === 'abandoned' ? 'abandoned' : 'stopping'
}

/** A timer's calls are short by nature: they are waited for. */
function limitsOf(handler: SpawnHandler, polling: number) {
  if (handler.activity === 'timer') return { backoff: undefined, timeout: undefined, polling }
  const { cancellationBackoff, cancellationTimeout, cancellationPolling } = handler
  return { backoff: cancellationBackoff, timeout: cancellationTimeout, polling: cancellationPolling ?? polling }
}

function isDeleting({ body }: ObjectMemory): boolean {
  return body.metadata.deletionTimestamp !== undefined
}

function round(seconds: number): number {
  return Math.round(seconds * 10) / 10
}
