/** What running costs, and the end of it. */
import { EvaluationError } from './ast.ts'

/** What a run may still cost. Shared by all runs that are judged together. */
export class Budget {
  #left: number

  constructor(units: number) {
    this.#left = units
  }

  get left(): number {
    return this.#left
  }

  spend(units: number): void {
    this.#left -= units
    if (this.#left < 0) throw new BudgetError()
  }
}

export class BudgetError extends EvaluationError {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
  }
}
