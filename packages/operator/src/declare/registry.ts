import { BinnacleError } from '@binnacle/core'
import { DeclarationError } from './declaration-error.ts'
import { type ChangeHandler, nameOf } from './handler.ts'
import type { IndexDefinition } from './index-handler.ts'

/**
 * All that an operator has declared, in the order of declaration.
 * Guarantees: no two functions share an id on one resource; after `seal` nothing is added.
 */
export class Registry {
  readonly #operator: string
  readonly #changes: ChangeHandler[] = []
  readonly indices: ReadonlyMap<string, IndexDefinition>
  #sealed = false

  constructor(operator: string, indices: ReadonlyMap<string, IndexDefinition>) {
    this.#operator = operator
    this.indices = indices
  }

  get changes(): readonly ChangeHandler[] {
    return this.#changes
  }

  add(handler: ChangeHandler): void {
    if (this.#sealed) throw tooLate(this.#operator, handler)
    const namesake = this.#changes.find(
      (other) => nameOf(other.resource) === nameOf(handler.resource) && other.id === handler.id,
    )
    if (namesake && namesake.fn !== handler.fn) throw duplicateId(handler)
    this.#changes.push(handler)
  }

  /** From now on declaring is an error. */
  seal(): void {
    this.#sealed = true
  }
}

export function duplicateId(handler: ChangeHandler): DeclarationError {
  return new DeclarationError({
    message: `Two handlers of ${nameOf(handler.resource)} have the id "${handler.id}"`,
    hint: 'Progress is stored under the id, so each handler needs one of its own: give the functions different names, or an id.',
    fix: `op.on.${handler.reason}('${nameOf(handler.resource)}', { id: 'another-${handler.id}' }, …)`,
  })
}

function tooLate(operator: string, handler: ChangeHandler): BinnacleError {
  return new BinnacleError('BIN_STATE', {
    message: `Handler "${handler.id}" of ${nameOf(handler.resource)} is declared after operator "${operator}" was started`,
    hint: 'Declare all handlers before `run` or `start`.',
  })
}
