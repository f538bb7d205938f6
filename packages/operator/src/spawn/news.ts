import type { Listen } from './stop-control.ts'

/** Tells whoever listens that there is something new; what it is, he looks up. */
export class News {
  readonly #listeners = new Set<() => void>()

  tell(): void {
    for (const wake of [...this.#listeners]) wake()
  }

  readonly listen: Listen = (wake) => {
    this.#listeners.add(wake)
    return () => this.#listeners.delete(wake)
  }
}
