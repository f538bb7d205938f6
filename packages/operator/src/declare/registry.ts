import { BinnacleError } from '@binnacle/core'
import type { Activity, ActivityHandler } from './activity.ts'
import type { DaemonHandler } from './daemon.ts'
import { DeclarationError } from './declaration-error.ts'
import { type ChangeHandler, type EventHandler, isSameResource, nameOf, scoped } from './handler.ts'
import type { IndexDefinition } from './index-handler.ts'
import type { Scope } from './scope.ts'
import type { TimerHandler } from './timer.ts'

type SpawnHandler = DaemonHandler | TimerHandler
type AnyHandler = ChangeHandler | EventHandler | SpawnHandler

/**
 * All that an operator, or a set of handlers, has declared, in the order of declaration; then what its mounted sets have.
 * Guarantees: no two functions share an id on one resource; after `seal` nothing is added, to mounted sets neither.
 */
export class Registry {
  readonly #owner: string
  readonly #scope: Scope | undefined
  readonly #indices: ReadonlyMap<string, IndexDefinition>
  readonly #changes: ChangeHandler[] = []
  readonly #events: EventHandler[] = []
  readonly #background: SpawnHandler[] = []
  readonly #activities: ActivityHandler[] = []
  readonly #mounted = new Map<string, Registry>()
  #sealed = false

  constructor(owner: string, indices: ReadonlyMap<string, IndexDefinition>, scope?: Scope) {
    this.#owner = owner
    this.#indices = indices
    this.#scope = scope
  }

  get changes(): readonly ChangeHandler[] {
    return [...this.#changes, ...this.#sets.flatMap(({ changes }) => changes)]
  }

  get events(): readonly EventHandler[] {
    return [...this.#events, ...this.#sets.flatMap(({ events }) => events)]
  }

  activities(of: Activity): readonly ActivityHandler[] {
    const own = this.#activities.filter(({ activity }) => activity === of)
    return [...own, ...this.#sets.flatMap((set) => set.activities(of))]
  }

  /** By the names that they have in the operator: those of sets begin with the name of the set. */
  get indices(): ReadonlyMap<string, IndexDefinition> {
    const own = [...this.#indices].map(([name, definition]) => [this.names.get(name) ?? name, definition] as const)
    return new Map([...own, ...this.#sets.flatMap(({ indices }) => [...indices])])
  }

  /** Of its own indices: the name in contexts, and the name in the operator. */
  get names(): ReadonlyMap<string, string> {
    return this.#scope?.indices ?? new Map([...this.#indices.keys()].map((name) => [name, name]))
  }

  /** Daemons and timers. */
  get background(): readonly SpawnHandler[] {
    return [...this.#background, ...this.#sets.flatMap(({ background }) => background)]
  }

  /** The files of worker handlers. */
  get workerModules(): readonly URL[] {
    return [...this.changes, ...this.events, ...this.background].flatMap(({ fn }) => fn.module ?? [])
  }

  add(declared: ChangeHandler): ChangeHandler {
    const handler = this.#checked(declared)
    this.#changes.push(handler)
    return handler
  }

  addEvent(declared: EventHandler): EventHandler {
    const handler = this.#checked(declared)
    this.#events.push(handler)
    return handler
  }

  addActivity(declared: ActivityHandler): ActivityHandler {
    const scope = this.#scope
    const handler = scope ? { ...declared, scope, id: `${scope.name}/${declared.id}` } : declared
    if (this.#sealed) throw tooLate(this.#owner, `Handler "${handler.id}" (${handler.activity})`)
    const namesake = this.#activities.find(({ activity, id }) => activity === handler.activity && id === handler.id)
    if (namesake) throw duplicateActivity(handler)
    this.#activities.push(handler)
    return handler
  }

  /** Takes over what a set declares, now and until the start. */
  mount(set: Registry): void {
    const name = set.#scope?.name ?? ''
    if (this.#sealed) throw tooLate(this.#owner, `Set "${name}"`)
    const namesake = this.#mounted.get(name)
    if (namesake && namesake !== set) throw duplicateSet(name)
    this.#mounted.set(name, set)
  }

  addBackground(declared: SpawnHandler): SpawnHandler {
    const handler = this.#checked(declared)
    this.#background.push(handler)
    return handler
  }

  /** From now on declaring is an error. */
  seal(): void {
    this.#sealed = true
    for (const set of this.#sets) set.seal()
  }

  get #sets(): readonly Registry[] {
    return [...this.#mounted.values()]
  }

  #checked<H extends AnyHandler>(declared: H): H {
    const handler = this.#scope ? scoped(declared, this.#scope) : declared
    if (this.#sealed) throw tooLate(this.#owner, `Handler "${handler.id}" of ${nameOf(handler.resource)}`)
    const namesake = [...this.#changes, ...this.#events, ...this.#background].find(
      (other) => isSameResource(other.resource, handler.resource) && other.id === handler.id,
    )
    // One function may be called for several causes; what runs in the background is known by its id alone.
    const joinable = namesake && 'reason' in namesake && 'reason' in handler && namesake.fn === handler.fn
    if (namesake && !joinable) throw duplicateId(handler)
    return handler
  }
}

export function duplicateId(handler: AnyHandler): DeclarationError {
  const { id, resource } = handler
  return new DeclarationError({
    message: `Two handlers of ${nameOf(resource)} have the id "${id}"`,
    hint: 'Progress and results are stored under the id, so each handler needs one of its own: give the functions different names, or an id.',
    fix: `op.${'reason' in handler ? `on.${handler.reason}` : handler.activity}('${nameOf(resource)}', { id: 'another-${id}' }, …)`,
  })
}

function duplicateActivity({ id, activity }: ActivityHandler): DeclarationError {
  return new DeclarationError({
    message: `Two ${activity} handlers have the id "${id}"`,
    hint: 'Give the functions different names, or an id.',
    fix: `op.on.${activity}({ id: 'another-${id}' }, …)`,
  })
}

function duplicateSet(name: string): DeclarationError {
  return new DeclarationError({
    message: `Two sets of handlers have the name "${name}"`,
    hint: 'The ids of handlers begin with the name of their set, so each set needs one of its own.',
    fix: `handlers('another-${name}')`,
  })
}

function tooLate(owner: string, declared: string): BinnacleError {
  const operator = owner.startsWith('set ') ? `the operator of ${owner}` : `operator "${owner}"`
  return new BinnacleError('BIN_STATE', {
    message: `${declared} is declared after ${operator} was started`,
    hint: 'Declare all handlers before `run` or `start`.',
  })
}
