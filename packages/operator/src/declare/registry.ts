import { BinnacleError } from '@binnacle/core'
import type { DaemonHandler } from './daemon.ts'
import { DeclarationError } from './declaration-error.ts'
import { type ChangeHandler, nameOf } from './handler.ts'
import type { IndexDefinition } from './index-handler.ts'
import type { TimerHandler } from './timer.ts'

/** What has an id of its own on a resource. */
type Named = Pick<ChangeHandler, 'id' | 'resource' | 'fn'>

/**
 * All that an operator has declared, in the order of declaration.
 * Guarantees: no two functions share an id on one resource; after `seal` nothing is added.
 */
export class Registry {
  readonly #operator: string
  readonly #changes: ChangeHandler[] = []
  readonly #background: (DaemonHandler | TimerHandler)[] = []
  readonly indices: ReadonlyMap<string, IndexDefinition>
  #sealed = false

  constructor(operator: string, indices: ReadonlyMap<string, IndexDefinition>) {
    this.#operator = operator
    this.indices = indices
  }

  get changes(): readonly ChangeHandler[] {
    return this.#changes
  }

  /** Daemons and timers. */
  get background(): readonly (DaemonHandler | TimerHandler)[] {
    return this.#background
  }

  add(handler: ChangeHandler): void {
    const namesake = this.#namesake(handler, this.#background) ?? this.#namesake(handler, this.#changes)
    if (namesake && (!('reason' in namesake) || namesake.fn !== handler.fn))
      throw duplicate(handler, `on.${handler.reason}`)
    this.#changes.push(handler)
  }

  addBackground(handler: DaemonHandler | TimerHandler): void {
    const namesake = this.#namesake(handler, this.#background) ?? this.#namesake(handler, this.#changes)
    if (namesake) throw duplicate(handler, handler.activity)
    this.#background.push(handler)
  }

  #namesake<H extends Named>(handler: Named, among: readonly H[]): H | undefined {
    if (this.#sealed) throw tooLate(this.#operator, handler)
    return among.find(({ resource, id }) => nameOf(resource) === nameOf(handler.resource) && id === handler.id)
  }

  /** From now on declaring is an error. */
  seal(): void {
    this.#sealed = true
  }
}

function duplicate(handler: Named, verb: string): DeclarationError {
  return new DeclarationError({
    message: `Two handlers of ${nameOf(handler.resource)} have the id "${handler.id}"`,
    hint: 'Progress is stored under the id, so each handler needs one of its own: give the functions different names, or an id.',
    fix: `op.${verb}('${nameOf(handler.resource)}', { id: 'another-${handler.id}' }, …)`,
  })
}

function tooLate(operator: string, handler: Named): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `Handler "${handler.id}" of ${nameOf(handler.resource)} is declared after operator "${operator}" was started`,
    hint: 'Declare all handlers before `run` or `start`.',
  })
}
