import type { Run, Write } from 'binnacle'
import { handlerKey } from './account.ts'

/** What one operator has begun or ended with an object, and does not know to be written down. */
interface Open {
  readonly running: Map<string, number>
  readonly ended: Set<string>
}

/**
 * Which handlers may run once more after a crash: those that run at that moment, and those whose end the server has not yet acknowledged.
 * Whatever was acknowledged is not to be repeated, however hard the fault; nor is anything else by a process that lives on and remembers.
 */
export class Doubt {
  /** By operator and uid of the object. */
  readonly #open = new Map<string, Open>()
  readonly #spare = new Map<string, number>()

  /** How often each handler may have run beyond what was expected, by its key in the account. */
  get spare(): ReadonlyMap<string, number> {
    return this.#spare
  }

  run(operator: string, run: Run): void {
    const { running, ended } = this.#of(operator, run.uid)
    const key = handlerKey(operator, run)
    if (run.outcome === 'running') return void running.set(key, (running.get(key) ?? 0) + 1)
    const left = (running.get(key) ?? 1) - 1
    if (left > 0) running.set(key, left)
    else running.delete(key)
    ended.add(key)
  }

  /** How far handlers have come is written on the object; its status comes before, and says nothing about it. */
  acknowledged(operator: string, { uid, to }: Write): void {
    if (to === 'object') this.#of(operator, uid).ended.clear()
  }

  /** Something strikes that leaves in doubt what is under way. */
  strike(): void {
    for (const { running, ended } of this.#open.values()) {
      for (const key of new Set([...running.keys(), ...ended])) this.#spare.set(key, (this.#spare.get(key) ?? 0) + 1)
    }
  }

  #of(operator: string, uid: string): Open {
    const key = `${operator} ${uid}`
    const known = this.#open.get(key) ?? { running: new Map(), ended: new Set() }
    this.#open.set(key, known)
    return known
  }
}
