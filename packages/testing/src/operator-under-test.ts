import type { Operator, RunningOperator, RunOptions } from 'binnacle'
import type { Connection, Ground } from './ground.ts'
import { Ledger, type LogEntry, type Runs } from './ledger.ts'
import type { Link } from './link.ts'

export type TestRunOptions = Omit<
  RunOptions,
  'client' | 'kubeconfig' | 'context' | 'clock' | 'random' | 'signal' | 'logger' | 'observer'
>

// biome-ignore lint/suspicious/noExplicitAny: an operator of whichever environment
export type AnyOperator = Operator<any>

/**
 * An operator in a world: started, stopped, killed and started again, with one ledger for all its lives.
 * Guarantees: after `stop` or `crash` nothing of the former life can write to the cluster any more.
 */
export class OperatorUnderTest implements AsyncDisposable {
  readonly ledger = new Ledger()
  readonly #operator: AnyOperator
  readonly #ground: Ground
  readonly #options: TestRunOptions
  #life: { readonly connection: Connection; readonly running: RunningOperator } | undefined

  constructor(operator: AnyOperator, ground: Ground, options: TestRunOptions) {
    this.#operator = operator
    this.#ground = ground
    this.#options = options
  }

  get runs(): Runs {
    return this.ledger.runs
  }

  get logs(): readonly LogEntry[] {
    return this.ledger.logs
  }

  /** The current run. */
  get running(): RunningOperator {
    if (!this.#life) throw new TypeError(`Operator "${this.#operator.name}" is not running: start it first`)
    return this.#life.running
  }

  /** The line between the operator and its cluster. */
  get link(): Link {
    if (!this.#life) throw new TypeError(`Operator "${this.#operator.name}" has no connection: start it first`)
    return this.#life.connection.link
  }

  activity(): readonly string[] {
    return this.#life?.running.activity() ?? []
  }

  async start(): Promise<void> {
    const connection = await this.#ground.connect()
    try {
      const { client } = connection
      const { clock, random } = this.#ground
      const running = await this.#operator.start({
        ...this.#options,
        client,
        clock,
        random,
        logger: this.ledger.logger(),
        observer: this.ledger,
      })
      this.#life = { connection, running }
      this.ledger.note(clock.now(), 'the operator is ready')
    } catch (error) {
      await connection[Symbol.asyncDispose]()
      throw error
    }
  }

  /** Politely: running handlers are waited for. */
  stop(): Promise<void> {
    return this.#end('the operator was stopped')
  }

  /** As if the process were killed: nothing that it does from now on reaches the cluster. Starts it anew. */
  async crash(): Promise<void> {
    this.link.sever()
    await this.#end('the operator was killed')
    await this.start()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #end(note: string): Promise<void> {
    const life = this.#life
    if (!life) return
    let over = false
    const stopped = life.running.stop().finally(() => {
      over = true
    })
    // On virtual time nobody else moves the clock while a stop waits for a handler that sleeps.
    while (this.#ground.virtual && !over) {
      await Promise.race([stopped, this.#ground.rest()])
      if (!over) await this.#ground.step(Number.POSITIVE_INFINITY)
    }
    await stopped
    await life.connection[Symbol.asyncDispose]()
    this.#life = undefined
    this.ledger.note(this.#ground.clock.now(), note)
  }
}
