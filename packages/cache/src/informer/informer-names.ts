import { BinnacleError } from '@binnacle/core'

/**
 * The names of informers, so that no two write figures under one name. Whoever makes informers has one of these; there is none for the process.
 * Guarantees: a name is given once until it is released; within a name, a resource is reserved once.
 */
export class InformerNames {
  readonly #taken = new Set<string>()

  /** Throws if the name is empty or taken. */
  reserve(name: string): InformerName {
    if (name === '') throw refusal('An informer cannot have an empty name', 'Give it the name of what it is for.')
    if (this.#taken.has(name)) {
      throw refusal(
        `There is an informer called ${JSON.stringify(name)} already`,
        'Choose another name, or release the one that is there.',
      )
    }
    this.#taken.add(name)
    return new InformerName(name, () => this.#taken.delete(name))
  }
}

export class InformerName implements Disposable {
  readonly name: string
  readonly #resources = new Set<string>()
  readonly #release: () => void

  constructor(name: string, release: () => void) {
    this.name = name
    this.#release = release
  }

  /** Whether this is the first informer of the resource under this name: only that one should write figures. */
  reserveResource(resource: string): boolean {
    const isFirst = !this.#resources.has(resource)
    this.#resources.add(resource)
    return isFirst
  }

  releaseResource(resource: string): void {
    this.#resources.delete(resource)
  }

  /** The name can be given again. */
  release(): void {
    this.#release()
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

function refusal(message: string, hint: string): BinnacleError {
  return new BinnacleError('BIN_STATE', { message, hint })
}
