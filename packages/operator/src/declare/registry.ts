import { BinnacleError } from '@binnacle/core'
import { DeclarationError } from './declaration-error.ts'
import { type ChangeHandler, type EventHandler, nameOf } from './handler.ts'
import type { IndexDefinition } from './index-handler.ts'

type AnyHandler = ChangeHandler | EventHandler

/**
 * All that an operator has declared, in the order of declaration.
 * Guarantees: no two functions share an id on one resource; after `seal` nothing is added.
 */
export class Registry {
  readonly #operator: string
  readonly #changes: ChangeHandler[] = []
  readonly #events: EventHandler[] = []
  readonly indices: ReadonlyMap<string, IndexDefinition>
  #sealed = false

  constructor(operator: string, indices: ReadonlyMap<string, IndexDefinition>) {
    this.#operator = operator
    this.indices = indices
  }

  get changes(): readonly ChangeHandler[] {
    return this.#changes
  }

  get events(): readonly EventHandler[] {
    return this.#events
  }

  add(handler: ChangeHandler): void {
    this.#check(handler)
    this.#changes.push(handler)
  }

  addEvent(handler: EventHandler): void {
    this.#check(handler)
    this.#events.push(handler)
  }

  /** From now on declaring is an error. */
  seal(): void {
    this.#sealed = true
  }

  #check(handler: AnyHandler): void {
    if (this.#sealed) throw tooLate(this.#operator, handler)
    const namesake = [...this.#changes, ...this.#events].find(
      (other) => nameOf(other.resource) === nameOf(handler.resource) && other.id === handler.id,
    )
    if (namesake && namesake.fn !== handler.fn) throw duplicateId(handler)
  }
}

export function duplicateId(handler: AnyHandler): DeclarationError {
  return new DeclarationError({
    message: `Two handlers of ${nameOf(handler.resource)} have the id "${handler.id}"`,
    hint: 'Progress and results are stored under the id, so each handler needs one of its own: give the functions different names, or an id.',
    fix: `op.on.${handler.reason}('${nameOf(handler.resource)}', { id: 'another-${handler.id}' }, …)`,
  })
}

function tooLate(operator: string, handler: AnyHandler): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `Handler "${handler.id}" of ${nameOf(handler.resource)} is declared after operator "${operator}" was started`,
    hint: 'Declare all handlers before `run` or `start`.',
  })
}
