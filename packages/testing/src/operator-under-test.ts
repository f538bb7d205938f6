import { messageOf } from '@binnacle/core'
import type { Observer, Operator, RunningOperator, RunOptions } from 'binnacle'
import { CountingClock } from './counting-clock.ts'
import type { Connection, Ground } from './ground.ts'
import { Ledger, type LogEntry, type Runs } from './ledger.ts'
import type { Link } from './link.ts'

export type TestRunOptions = Omit<
  RunOptions,
  'client' | 'kubeconfig' | 'context' | 'clock' | 'random' | 'signal' | 'logger' | 'observer'
>

/** Looks at a start that seems to stand still, before time is moved for it: it has nothing to show until it is over. */
const PATIENCE = 8

/** How often a start is tried again. */
const MOST_STARTS = 5

// biome-ignore lint/suspicious/noExplicitAny: an operator of whichever environment
export type AnyOperator = Operator<any>

interface Life {
  readonly connection: Connection
  readonly running: RunningOperator
  readonly clock: CountingClock
}

/**
 * An operator in a world: started, stopped, killed and started again, with one ledger for all its lives.
 * Guarantees: after `stop` or `crash` nothing of the former life can write to the cluster any more.
 */
export class OperatorUnderTest implements AsyncDisposable {
  readonly ledger = new Ledger()
  readonly #ground: Ground
  readonly #options: TestRunOptions
  readonly #anew: (() => AnyOperator) | undefined
  /** One for each life: what sleeps by it must not outlive that. */
  readonly #clocks: CountingClock[] = []
  #operator: AnyOperator
  #killed = false
  #leaving = false
  #life: Life | undefined

  /** `anew` makes the operator of the next process, which knows nothing of what this one kept in variables. */
  constructor(operator: AnyOperator, ground: Ground, options: TestRunOptions, anew?: () => AnyOperator) {
    this.#operator = operator
    this.#ground = ground
    this.#options = options
    this.#anew = anew
  }

  get name(): string {
    return this.#operator.name
  }

  get runs(): Runs {
    return this.ledger.runs
  }

  get logs(): readonly LogEntry[] {
    return this.ledger.logs
  }

  get alive(): boolean {
    return this.#life !== undefined
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

  /** By which name its requests are known. */
  get userAgent(): string {
    return `operator/${this.name}`
  }

  /** Waits for time that lives of it which have ended have left behind. */
  get waitsLeft(): number {
    return this.#clocks.reduce((sum, clock) => sum + (clock === this.#life?.clock ? 0 : clock.sleeping), 0)
  }

  activity(): readonly string[] {
    return this.#life?.running.activity() ?? []
  }

  async start(): Promise<void> {
    const clock = new CountingClock(this.#ground.clock)
    const connection = await this.#ground.connect(this.userAgent, clock)
    try {
      const { client } = connection
      const { random } = this.#ground
      const observer = this.#witness()
      const logger = this.ledger.logger()
      const starting = this.#operator.start({ ...this.#options, client, clock, random, logger, observer })
      const running = await this.#passing(starting, PATIENCE)
      this.#life = { connection, running, clock }
      this.#clocks.push(clock)
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
    this.#killed = true
    await this.#buried()
    await this.start()
  }

  /** As if the process were killed now: nothing reaches the cluster any more. It lies there until it is revived. */
  kill(): void {
    if (!this.#life || this.#killed) return
    this.#killed = true
    this.link.sever()
  }

  /** As if the process were asked to end now, as a node that is drained does: what runs is waited for. It lies there until it is revived. */
  terminate(): void {
    if (!this.#life || this.#killed || this.#leaving) return
    this.#leaving = true
    // What goes wrong in it is met again where its end is awaited.
    this.#life.running.stop().catch(() => {})
  }

  /** Starts it anew if it was killed or terminated; false if it was neither. */
  async revive(): Promise<boolean> {
    if (!this.#killed && !this.#leaving) return false
    if (this.#killed) await this.#buried()
    else await this.stop()
    this.#leaving = false
    if (this.#anew) this.#operator = this.#anew()
    await this.startAtLast()
    return true
  }

  /** As `start`, but tries again for a while when it fails, as whoever runs a process does. */
  async startAtLast(): Promise<void> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.start()
      } catch (error) {
        if (failures === MOST_STARTS) throw error
        this.ledger.note(this.#ground.clock.now(), `the operator could not start: ${messageOf(error)}`)
        await this.#ground.pass('10s')
      }
    }
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #buried(): Promise<void> {
    await this.#end('the operator was killed')
    this.#killed = false
  }

  /** A process that was killed does nothing any more: what its remains in this one go on doing until they have ended is not written down. */
  #witness(): Observer {
    return {
      run: (run) => {
        if (!this.#killed) this.ledger.run(run)
      },
      write: (write) => {
        if (!this.#killed) this.ledger.write(write)
      },
      event: (said) => {
        if (!this.#killed) this.ledger.event(said)
      },
    }
  }

  async #end(note: string): Promise<void> {
    const life = this.#life
    if (!life) return
    await this.#passing(life.running.stop(), 1)
    await life.connection[Symbol.asyncDispose]()
    this.#life = undefined
    this.ledger.note(this.#ground.clock.now(), note)
  }

  /** On virtual time nobody else moves the clock while a start, or a stop, waits for a handler that sleeps. */
  async #passing<T>(work: Promise<T>, patience: number): Promise<T> {
    let over = false
    const end = () => {
      over = true
    }
    const ended = work.then(end, end)
    while (this.#ground.virtual && !over) {
      for (let looks = 0; looks < patience && !over; looks++) await Promise.race([ended, this.#ground.rest()])
      if (!over) await this.#ground.step(Number.POSITIVE_INFINITY)
    }
    return work
  }
}
