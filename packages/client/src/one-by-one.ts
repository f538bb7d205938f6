import { setImmediate } from 'node:timers/promises'

/**
 * Batches → their members, one by one. Generators inside of generators would do the same, but would send each member through the
 * microtask queue several times at each level, which for an event of a watch is as much work as to store it.
 * Guarantees: as a generator: nothing begins before the first `next`; calls are answered in the order in which they were made; an error, and
 * `return`, end the source. The event loop gets its turn after so many members, however large a batch is.
 */
export class OneByOne<T> implements AsyncIterableIterator<T, undefined> {
  readonly #source: AsyncGenerator<Iterable<T>, unknown>
  readonly #perTurn: number
  #batch: Iterator<T> | undefined
  /** Members since the event loop had its turn. */
  #taken = 0
  /** The last of the calls that could not be answered at once. */
  #waiting: Promise<unknown> | undefined

  constructor(source: AsyncGenerator<Iterable<T>, unknown>, perTurn: number) {
    this.#source = source
    this.#perTurn = perTurn
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const isReady = this.#waiting === undefined && this.#taken < this.#perTurn
    if (!isReady) return this.#inTurn(() => this.#advance())
    try {
      const member = this.#batch?.next()
      if (!member || member.done) return this.#inTurn(() => this.#advance())
      this.#taken++
      return Promise.resolve(member)
    } catch (error) {
      return this.#inTurn(() => this.#failed(error))
    }
  }

  return(): Promise<IteratorResult<T, undefined>> {
    return this.#inTurn(() => this.#end())
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #inTurn<R>(step: () => Promise<R>): Promise<R> {
    const turn = this.#waiting ? this.#waiting.then(step, step) : step()
    const done = () => {
      if (this.#waiting === turn) this.#waiting = undefined
    }
    this.#waiting = turn
    turn.then(done, done)
    return turn
  }

  async #advance(): Promise<IteratorResult<T, undefined>> {
    while (true) {
      if (this.#taken >= this.#perTurn) await this.#rest()
      const member = this.#member()
      if (member) return member
      const batch = await this.#source.next()
      if (batch.done) return { done: true, value: undefined }
      this.#batch = batch.value[Symbol.iterator]()
    }
  }

  async #rest(): Promise<void> {
    this.#taken = 0
    await setImmediate()
  }

  #member(): IteratorResult<T, undefined> | Promise<never> | undefined {
    try {
      const member = this.#batch?.next()
      if (!member || member.done) return undefined
      this.#taken++
      return member
    } catch (error) {
      return this.#failed(error)
    }
  }

  async #failed(error: unknown): Promise<never> {
    await this.#end()
    throw error
  }

  async #end(): Promise<IteratorResult<T, undefined>> {
    this.#batch = undefined
    await this.#source.return(undefined)
    return { done: true, value: undefined }
  }
}
